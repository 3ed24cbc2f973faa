import { requestHeaders } from '@sluice/protocol';
import { tried } from '@sluice/protocol/toolbox';
import type { EventBytes } from '../../base/event-bytes.ts';
import { hashOf } from '../../base/hash.ts';
import type { Destination } from '../../send/requests.ts';
import { customersOf } from '../../wait/lanes/halves.ts';
import { TO_END } from '../../wait/lanes/lane.ts';
import type { Parcel } from '../../wait/parcel.ts';
import { RingBuffer } from '../../wait/ring-buffer.ts';
import type { BoundsPart } from '../bounds/bounds.ts';
import type { ClassifyPart } from '../classify.ts';
import type { DestinationPart } from '../destination.ts';
import type { PerCustomerPart } from '../per-customer.ts';
import { createTickets, type Jwt } from './tickets.ts';

/** The parts in whose place a relay puts its own. */
export interface RelayParts {
  readonly bounds: BoundsPart | undefined;
  readonly classify: ClassifyPart | undefined;
  readonly destination: DestinationPart | undefined;
  readonly perCustomer: PerCustomerPart | undefined;
}

const UNAUTHORIZED = 401;
/**
 * A lane is the number of a customer, from 1 on; 0 if the events were not read yet. What was in a request of a page that is gone has
 * a negative lane, which no other parcel has: such a parcel is never joined with others.
 */
const LANES = 2 ** 20;

const numberOf = (lanes: number): number => Math.abs(lanes) % LANES;

/** The last request of a parcel. */
interface Sent {
  /** Whether it was made as the page went. It has an id then, so that the relay knows it when the next page sends it again. */
  readonly isNamed: boolean;
  /** Aborted if consent was denied since. */
  readonly denied: AbortSignal;
  readonly body: Uint8Array;
}

/**
 * Sends to a relay: each request has one customer, and a ticket for it. Other parcels are put back until there is one.
 *
 * @param inner The bounds that the tracker has otherwise.
 */
export function createRelayParts(url: string, jwt: Jwt, inner: BoundsPart | undefined): RelayParts {
  /** The customers of the lanes. */
  const names: string[] = [];
  let frozen = 0;
  /** By the body that the service would get. */
  const sent = new WeakMap<Uint8Array, Sent>();
  // Known once the tracker has given its tools.
  let holds: NonNullable<Destination['holds']> = () => false;
  let mayGo = (_customer: string, _at: number | undefined) => false;

  const laneOf = (customer: string) => names.indexOf(customer) + 1 || names.push(customer);

  /** The parcels that may be sent, up to one request. What was not read yet may: then its customers are known. */
  function* free(parcels: Iterable<Parcel>, busy: number): Generator<Parcel, undefined> {
    let first: Parcel | undefined;
    for (const parcel of parcels) {
      const { at, isInMemory, lanes } = parcel;
      const customer = names[numberOf(lanes) - 1];
      if (customer !== undefined && !Object.is(busy, TO_END) && !mayGo(customer, at)) continue;
      first ??= parcel;
      if (lanes === first.lanes) yield parcel;
      // In memory it is as it is stored: the next page can repeat the request.
      if (isInMemory || lanes < 0) break;
    }
  }

  return {
    bounds(tools) {
      const { clock, settings, waiting } = tools;
      const { maxAgeMs = Number.POSITIVE_INFINITY } = settings.storage;
      const tickets = createTickets(url, jwt, tools);
      const isTooOld = (customer: string, at: number = Number.NaN) =>
        at < clock.now() - Math.min(maxAgeMs, tickets.maxAgeMs(customer));
      mayGo = (customer, at) => tickets.find(customer, at) !== undefined || isTooOld(customer, at);
      holds = (parcel, outlives, status) => {
        if ((status ?? UNAUTHORIZED) !== UNAUTHORIZED) return false;
        const { body, contents, events, lanes } = parcel;
        if (numberOf(lanes) === 0) {
          const [customer = '', ...others] = new Set(customersOf(parcel));
          if (others.length > 0) {
            for (const part of waiting.divide(parcel)) waiting.putBack(part, 'journal');
            return true;
          }
          parcel.lanes += (lanes < 0 ? -1 : 1) * laneOf(customer);
        }
        const customer = names[numberOf(parcel.lanes) - 1] ?? '';
        const before = sent.get(body);
        if (status) tickets.refuse(customer);
        const ticket = tickets.find(customer, parcel.at);
        if (ticket !== undefined && !status) {
          const isNamed = outlives || lanes < 0 || before?.isNamed === true;
          const fields = { ticket, parcel: isNamed ? idOf(events) : undefined };
          sent.set(body, { isNamed, denied: waiting.denied, body: enclosed(body, fields) });
          return false;
        }
        // That of its newest event: it waits so long, too.
        parcel.at = contents.timeOf(parcel.count - 1);
        const isDenied = before?.denied.aborted;
        if (isDenied || (ticket === undefined && isTooOld(customer, parcel.at)))
          void waiting.end(parcel, isDenied ? 'denied' : 'identity-expired');
        else waiting.putBack(parcel, 'journal');
        return true;
      };
      return inner?.(tools);
    },
    classify: () => ({ rejected: (_, { body }) => tried(() => JSON.parse(body).refused) }),
    destination: ({ path = '' }) => ({
      path,
      headers: requestHeaders,
      body: ({ body }) => sent.get(body)?.body ?? body,
      holds: (...request) => holds(...request),
    }),
    perCustomer: {
      laneOf,
      /** A new parcel begins with each change of the customer. */
      createRing(options, onSealed) {
        let lane = 0;
        const onNew = (parcel: Parcel) => {
          parcel.lanes = lane;
        };
        const ring = new RingBuffer({ ...options, onNew }, onSealed);
        const push = ring.push.bind(ring);
        return Object.assign(ring, {
          push(text: string, time: number, next: number) {
            if (next !== lane) ring.seal();
            lane = next;
            return push(text, time);
          },
          recovered(parcel: Parcel, wasSent?: boolean) {
            if (!wasSent) return;
            frozen += 1;
            parcel.lanes = -frozen * LANES;
          },
          free: (busy: number) => free(ring.parcels, busy),
        });
      },
      free,
      putBack: (list, parcel) => list.unshift(parcel),
      halves: (parcel) =>
        customersOf(parcel).map((customer, from) => {
          const part = parcel.cut({ from, to: from + 1 });
          part.lanes = laneOf(customer);
          return [part];
        }),
    },
  };
}

/** The body of a request, with more fields. */
function enclosed(body: Uint8Array, fields: object): Uint8Array {
  const tail = new TextEncoder().encode(`,${JSON.stringify(fields).slice(1)}`);
  const all = new Uint8Array(body.length - 1 + tail.length);
  all.set(body);
  all.set(tail, body.length - 1);
  return all;
}

/** A UUID, the same for the same events: the start of that of the first event, and a hash of all. */
function idOf({ bytes }: EventBytes): string {
  const text = new TextDecoder().decode(bytes);
  const [, start = ''] = /"uuid":"(.{24})/.exec(text) ?? [];
  return start + Number.parseInt(hashOf(text), 36).toString(16).padStart(12, '0');
}
