import type { Clock } from '@sluice/protocol/toolbox';
import type { Parcel } from './keep/parcel.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Sender } from './send/sender.ts';

/** The end of a wait. */
export interface Deadline {
  readonly at: number;
  wait(work: Promise<unknown>): Promise<void>;
}

export function createDeadline(clock: Clock, timeoutMs: number, signal?: AbortSignal): Deadline {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = clock.setTimeout(end, timeoutMs, true);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  return {
    at: clock.now() + timeoutMs,
    async wait(work) {
      await Promise.race([work, over]);
      timer.cancel();
      signal?.removeEventListener('abort', end);
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
  const calm = sender.hurry();
  parcels.seal();
  const { epoch } = parcels;
  parcels.epoch += 1;
  // What another page has in a request, and may be left, is that page's.
  const isOthers = ({ leasedUntil, page }: Parcel) => page !== parcels.own && leasedUntil > clock.now();
  const isOver = () => parcels.count((parcel) => parcel.epoch <= epoch && !isOthers(parcel)) === 0;
  const work = async () => {
    await stored();
    sender.wake();
    while (!isOver() && sender.isUseful(at))
      await new Promise<void>((resolve) => {
        const forget = sender.watch(() => {
          forget();
          resolve();
        });
      });
  };
  await wait(work());
  calm();
}
