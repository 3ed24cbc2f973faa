import { type Blame, createBlame } from '../../send/blame.ts';
import { createDelivery as createVerdicts } from '../../send/delivery.ts';
import type { Rejected } from '../../send/http/transport.ts';
import { Trial } from '../../send/trial.ts';
import type { Parcel } from '../keep/parcel.ts';
import type { Parcels } from '../keep/parcels.ts';
import type { Carried } from './requests.ts';
import type { StageOptions, Traffic } from './stages.ts';

/** A page that was left may see the answer to a request for so long. */
const LEASE_MS = 30_000;
const UNAUTHORIZED = 401;

/** Parcels in one request, which is made until they end or are halved. */
export class Batch extends Trial<Parcel> {
  /** It goes under a name: a relay may have it already. */
  isNamed = false;
  /** What its requests carry: each has the same bytes. */
  carried: Carried | undefined;
  /** What happened since it was sent: consent was denied, or the page was left. */
  isDenied = false;
  isLeft = false;

  /** What failed seldom and is small comes first: it is found soon whether single events are refused, or all. */
  get rank(): number {
    return (this.isAlone ? 1e9 : 0) + (this.sent + this.proofs) * 1e5 + this.count;
  }

  /** Leaves out what has ended. Returns whether it is still one request. */
  isAlive(parcels: Pick<Parcels, 'areFirst'>): boolean {
    const left = this.parcels.filter(({ state }) => state !== 'ended');
    this.parcels = left;
    const stays = left.length > 0 && (parcels.areFirst(left) || !parcels.areFirst(left, 'waiting'));
    // Something that was found later belongs between them, and would wait for the first, as the last would wait for it.
    if (!stays) for (const parcel of left) parcel.state = 'waiting';
    return stays;
  }
}

export interface Delivery {
  readonly blame: Blame;
  readonly traffic: Traffic;
  /** @param outlives Whether the request goes on though the page is left. */
  deliver(batch: Batch, outlives?: boolean): Promise<void>;
  /** Its halves are sent in its place. @param most The first one is no larger. */
  halve(batch: Batch, most?: number): void;
}

/** Makes a request, and does what its answer asks for. */
export function createDelivery(
  options: StageOptions,
  wake: () => void,
  hasOthers: () => boolean,
): Delivery {
  const { settings, clock, parcels, keeper, gate, requests, relay, reporter } = options;
  const { end, cut, letters, limits } = options;
  const isStrict = settings.ordering === 'strict';
  const blame = createBlame(clock, isStrict);
  const traffic: Traffic = { retries: [], running: new Set(), isStopped: false };
  const leaseMs = Math.max(LEASE_MS, settings.advanced.headersTimeoutMs);
  const judge = createVerdicts<Batch>({
    ...{ ...options, blame, hasOthers, halve, retry, settle },
    accepted(_, __, isBack) {
      if (isBack) for (const other of traffic.retries) if (!other.isAlone) other.at = 0;
      keeper.answered();
    },
    intercepts(batch, { at }, status) {
      batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
      const [first] = batch.parcels;
      if (relay && status === UNAUTHORIZED && first) {
        relay.refuse(first.customer);
        putBack(batch);
        return true;
      }
      // The browser goes on with requests of a page that is left, though they seem to fail.
      const isLeft = status === 0 && (batch.isLeft || keeper.isLeft);
      if (isLeft) retry(batch, at + leaseMs - clock.now());
      else keeper.endLease(batch.parcels);
      return isLeft;
    },
  });

  async function deliver(batch: Batch, outlives = false): Promise<void> {
    const pass = gate.start();
    const [first] = batch.parcels;
    const texts = batch.parcels.flatMap(({ texts }) => texts ?? []);
    batch.isNamed ||= outlives || first?.isFrozen === true;
    const fields = first && relay?.fields(first, texts, batch.isNamed);
    if (relay && !fields) return putBack(batch);
    let { carried } = batch;
    if (fields || carried?.count !== texts.length) carried = requests.carry(texts, fields);
    batch.carried = carried;
    batch.isLeft = false;
    traffic.running.add(batch);
    if (blame.inARow === 0) {
      // Other pages leave these parcels alone while this one may see the answer.
      keeper.lease(batch.parcels, leaseMs);
      void keeper.commit();
    }
    batch.sent += 1;
    limits.sent?.(batch, pass.at);
    try {
      const outcome = await requests.post(carried, batch.sent > 1, outlives);
      if (!traffic.isStopped || outcome.kind === 'answered') void judge(batch, pass, outcome);
    } finally {
      traffic.running.delete(batch);
      wake();
    }
  }

  /** Without a ticket it waits for one, or ends if there will be none. */
  function putBack({ parcels: all }: Batch): void {
    keeper.endLease(all);
    for (const parcel of all) {
      parcel.state = 'waiting';
      if (relay?.mayGo(parcel)) end(parcel, 'identity-expired');
    }
  }

  /** Dead letters are stored in the transaction that releases the events. */
  function settle({ parcels: sent }: Batch, rejected: Rejected, status: number): undefined {
    const events = sent.flatMap(({ count, id, texts = Array<undefined>(count).fill(undefined) }) =>
      texts.map((text) => [text, id] as const),
    );
    const excerpts: string[] = [];
    for (const [index, reason] of rejected) {
      const [text, id] = events[index] ?? [];
      if (text === undefined) continue;
      const excerpt = requests.redact(reason);
      letters.keep(text, `${id} ${index}`, { status, excerpt });
      excerpts.push(excerpt);
    }
    const left = events.filter(([text]) => text !== undefined).length - excerpts.length;
    for (const parcel of sent) end(parcel, left > 0 ? 'delivered' : 'deadLettered', false);
    reporter.settled('delivered', left);
    reporter.settled('deadLettered', excerpts.length);
    for (const excerpt of excerpts) reporter.emit('deadLettered', { count: 1, status, excerpt });
  }

  /**
   * Halves are sent at once: a request of several parcels becomes two with fewer, one parcel becomes two. If it never failed, the second
   * one waits as anything new.
   */
  function halve(batch: Batch, most = Number.POSITIVE_INFINITY): void {
    const half = (count: number) => Math.max(1, Math.floor(Math.min(most, (count + 1) / 2)));
    let all = [...batch.parcels];
    const [first] = all;
    // Those of different customers need not wait for each other.
    if (!isStrict) all.sort((one, other) => one.customer.localeCompare(other.customer));
    let count = half(all.length);
    if (first && all.length < 2) {
      all = cut(first, half(first.count));
      count = 1;
    }
    const rest = all.slice(count);
    const failed = batch.proofs > 0 ? batch : undefined;
    retry(new Batch(all.slice(0, count), failed), 0);
    if (failed) retry(new Batch(rest, failed), 0);
    else for (const parcel of rest) parcel.state = 'waiting';
  }

  function retry(batch: Batch, waitMs: number): void {
    batch.waitMs = waitMs;
    batch.at = clock.now() + waitMs;
    traffic.retries.push(batch);
    for (const parcel of batch.parcels) parcel.isAside = batch.isAlone;
    // With much in memory, the texts that are stored are read again when they are sent.
    if (parcels.bytes <= settings.buffer.maxBytes / 4) return;
    batch.carried = undefined;
    for (const parcel of batch.parcels) if (parcel.isStored) parcels.unload(parcel);
  }

  return { blame, deliver, halve, traffic };
}
