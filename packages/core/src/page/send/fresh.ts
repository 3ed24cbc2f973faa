import { BATCH_OVERHEAD_BYTES, type Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../../base/event-bytes.ts';
import type { Settings } from '../../options/settings.ts';
import type { Keeper } from '../keep/keeper.ts';
import type { Parcel } from '../keep/parcel.ts';
import { byteLength, type Parcels } from '../keep/parcels.ts';
import { type Batch, batchOf, bytesOf } from './blame.ts';
import type { Limits } from './limits.ts';
import { nameCustomer, type Relay } from './relay.ts';
import type { Requests } from './requests.ts';

interface FreshOptions {
  readonly settings: Pick<Settings, 'batch' | 'isOrdered'>;
  readonly clock: Clock;
  readonly parcels: Parcels;
  readonly keeper: Pick<Keeper, 'isSafe' | 'load'>;
  readonly limits: Limits;
  readonly requests: Pick<Requests, 'room'>;
  readonly relay: Relay | undefined;
  readonly cut: (parcel: Parcel, count: number) => Parcel[];
}

/** What waits for its first request. */
export interface Fresh {
  /** The parcels of the next request, and when it is due. */
  next(): [Parcel[], number];
  /** Reads them. Undefined: they cannot go like this, and wait again. Rejects if storage fails. */
  take(next: readonly Parcel[], isProbe: boolean): Promise<Batch | undefined>;
  /** What a page sends that is hidden or left. @param isShared Others send what is stored. */
  last(isShared: boolean): Batch[];
}

/** @param wake There is more to send. */
export function createFresh(
  options: FreshOptions,
  dueAt: (parcel: Parcel) => number,
  wake: () => void,
): Fresh {
  const { settings, clock, parcels, keeper, limits, requests, relay, cut } = options;
  const { batch: sizes, isOrdered } = settings;
  const isOne = !!relay;
  /** Every other request has what is newest: it does not wait for all that an outage left. */
  let isNewest = false;

  const hasTicket = (parcel: Parcel) => relay?.mayGo(parcel) ?? true;
  const mayGo = (parcel: Parcel) => keeper.isSafe(parcel) && hasTicket(parcel);

  function most(): Limit {
    const { maxEvents, maxBytes } = limits.most;
    return { maxEvents: Math.min(maxEvents, sizes.maxEvents), maxBytes: Math.min(maxBytes, sizes.maxBytes) };
  }

  function hold(taken: readonly Parcel[]): void {
    for (const parcel of taken) {
      parcel.state = 'out';
      if (parcel === parcels.filling) parcels.seal();
    }
  }

  function putBack(taken: readonly Parcel[]): void {
    for (const parcel of taken) if (parcel.state === 'out') parcel.state = 'waiting';
  }

  /** Whether each is of one customer, for a relay all of the same one with a ticket. */
  function isReady(taken: readonly Parcel[]): boolean {
    for (const parcel of taken) {
      const other = parcel.state === 'ended' ? undefined : nameCustomer(parcel);
      if (other) putBack(cut(parcel, other));
    }
    return taken.every(
      (parcel) =>
        parcel.state === 'out' && (!relay || (parcel.customer === taken[0]?.customer && mayGo(parcel))),
    );
  }

  return {
    next: () => parcels.next({ ...most(), isOne, isNewest, mayGo, dueAt, now: clock.now() }),
    async take(next, isProbe) {
      const taken = isProbe ? next.slice(0, 1) : next;
      isNewest = !isNewest;
      hold(taken);
      try {
        await keeper.load(taken);
      } catch (error) {
        putBack(taken);
        throw error;
      }
      if ((relay || isOrdered) && !isReady(taken)) {
        putBack(taken);
        wake();
        return undefined;
      }
      const [first] = taken;
      if (!first || first.state === 'ended') return batchOf(taken);
      // A probe is one event, and no request is larger than the service accepts.
      const { maxEvents, maxBytes } = most();
      let bytes = 0;
      const isOver = (text: string, index: number) => {
        bytes += byteLength(text) + 1;
        return index > 0 && (isProbe || index >= maxEvents || bytes > maxBytes);
      };
      const fitting = first.texts?.findIndex(isOver) ?? 0;
      if (fitting < 1) return batchOf(taken);
      const [one, others] = cut(first, fitting);
      if (others) others.state = 'waiting';
      return one && batchOf([one]);
    },
    last(isShared) {
      const last: Batch[] = [];
      const isOwn = ({ kept, page, texts }: Parcel) => !!texts && page === parcels.own && !(isShared && kept);
      for (let { room } = requests; ; ) {
        const { maxBytes, maxEvents } = most();
        // A relay knows one parcel by its name.
        const [taken] = parcels.next({
          ...{ maxEvents, maxBytes: relay ? 1 : Math.min(maxBytes, room) },
          ...{ isOne, isNewest: false, dueAt, now: clock.now() },
          mayGo: (parcel) => isOwn(parcel) && hasTicket(parcel),
        });
        const bytes = bytesOf(taken);
        if (taken.length === 0 || bytes > room) return last;
        room -= bytes + BATCH_OVERHEAD_BYTES;
        hold(taken);
        last.push(batchOf(taken));
      }
    },
  };
}
