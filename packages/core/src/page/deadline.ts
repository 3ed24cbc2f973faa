import { type Clock, MAX_TIMER_MS, tried } from '@sluice/protocol/toolbox';
import type { FinishOptions } from '../tell/stats.ts';
import type { Parcel } from './keep/parcel.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Sender } from './send/sender.ts';

/** The end of a wait. */
export interface Deadline {
  readonly at: number;
  wait(work: Promise<unknown>): Promise<void>;
}

/** Where the options make no sense, the default counts. */
export function createDeadline(
  clock: Clock,
  options: FinishOptions | undefined,
  defaultMs: number,
): Deadline {
  const { timeoutMs, signal }: FinishOptions = tried(() => ({ ...options })) ?? {};
  const isGiven = typeof timeoutMs === 'number' && timeoutMs >= Number.NEGATIVE_INFINITY;
  const ms = Math.min(isGiven ? timeoutMs : defaultMs, MAX_TIMER_MS);
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = clock.setTimeout(end, ms, true);
  if (signal?.aborted) end();
  // A user's own signal may throw.
  tried(() => signal?.addEventListener('abort', end));
  return {
    at: clock.now() + ms,
    async wait(work) {
      await Promise.race([work, over]);
      timer.cancel();
      tried(() => signal?.removeEventListener('abort', end));
    },
  };
}

interface Stages {
  readonly parcels: Parcels;
  readonly sender: Sender;
  readonly clock: Clock;
}

/** Waits until what was tracked has ended, as long as that is of use. */
export async function settle(
  { parcels, sender, clock }: Stages,
  { at, wait }: Deadline,
  stored: () => Promise<void>,
): Promise<void> {
  // Nothing can be delivered in no time.
  const calm = at > clock.now() ? sender.hurry() : undefined;
  const epoch = parcels.mark();
  // What another page has in a request, and may be left, is that page's.
  const isOthers = ({ leasedUntil, page }: Parcel) => page !== parcels.own && leasedUntil > clock.now();
  const isOver = () => parcels.count((parcel) => parcel.epoch <= epoch && !isOthers(parcel)) === 0;
  const work = async () => {
    await stored();
    sender.wake();
    while (!isOver() && sender.isUseful(at)) await sender.changed();
  };
  await wait(work());
  calm?.();
}
