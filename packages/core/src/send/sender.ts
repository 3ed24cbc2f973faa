import { type Clock, untilWoken } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Journal } from '../keep/journal.ts';
import type { Breaker } from '../pace/breaker.ts';
import type { Gate, Pass } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from '../wait/waiting.ts';
import type { ParcelTrial } from './parcel-trial.ts';
import type { Trials } from './trials.ts';

/** Number of events in a probe: a second one could be at fault. */
const PROBE_EVENTS = 1;
/** How soon to look again for what is due, in milliseconds. */
const DUE_MS = 10;

/** Runs tasks in parallel: the part of p-queue that Sluice uses. */
export interface Queue {
  readonly pending: number;
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves once no task runs or waits. */
  onIdle(): Promise<void>;
}

interface SenderOptions {
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly breaker: Breaker;
  readonly gate: Gate;
  readonly concurrency: { readonly limit: number };
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Undefined if nobody else sends what the journal has. */
  readonly sharing: Journal['sharing'];
  readonly trials: Trials;
  /** Makes one request and acts on the answer. */
  readonly deliver: (trial: ParcelTrial, pass: Pass) => Promise<void>;
  /** The gate limits how many requests are made at once, not this queue. */
  readonly queue: Queue;
  readonly isStrict: boolean;
  readonly isOrdered: boolean;
  readonly signal: AbortSignal;
}

/** Takes parcels as long as there are any, and keeps several of them in requests at once. */
export interface Sender {
  /** Something may be ready to be sent. Resolves once sending has started, or when nothing more can be sent. */
  wake(): Promise<void>;
  /** Resolves when the work ends, or when no request is pending and none will be made before `until` (in ms since 1970). */
  whileUseful(work: Promise<void>, until: number): Promise<void>;
  /** Resolves once all deliveries have ended. Abort the signal before. Events that were not accepted stay in the journal. */
  stop(): Promise<void>;
}

export function createSender(options: SenderOptions): Sender {
  const { breaker, clock, concurrency, deliver, gate, isOrdered, isStrict, queue } = options;
  const { reporter, sharing, signal, trials, waiting } = options;
  let pumping: Promise<void> | undefined;
  let wokenWhilePumping = false;
  /** Rings when something that failed may be sent again. */
  const retry = new Alarm(clock, () => {
    trials.due(retryAt);
    void wake();
  });
  let retryAt = 0;
  /** Pending requests with something that failed before. */
  let tests = 0;
  let wasTest = false;
  const watching = new Set<() => void>();
  sharing?.listen(() => {
    leaveToOthers();
    void wake();
  });

  function wake(): Promise<void> {
    wokenWhilePumping = true;
    pumping ??= pump();
    return pumping;
  }

  async function pump(): Promise<void> {
    // After the stop, no event may end: the journal may be closed.
    while (wokenWhilePumping && !signal.aborted) {
      wokenWhilePumping = false;
      await waiting.dropExpired();
      await trials.tidy();
      for (let trial = await next(); trial; trial = await next()) start(trial);
    }
    pumping = undefined;
    const { nextAt: dueAt } = trials;
    // Otherwise it rings in time, though the clock may have been set back.
    if (dueAt !== retryAt) retry.cancel();
    retryAt = dueAt;
    const waitMs = dueAt - clock.now();
    if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) retry.set(waitMs);
    // It has become due just now. If the gate lets nothing go, it says when that changes.
    else if (waitMs <= 0 && mayStart()) retry.set(DUE_MS);
    for (const look of watching) look();
  }

  function mayStart(): boolean {
    return !signal.aborted && sharing?.maySend !== false && gate.mayStart;
  }

  /** If another process may send what failed, it goes back to the journal. */
  function leaveToOthers(): void {
    if (sharing?.maySend === false) trials.leave();
  }

  /** Takes what goes next. Undefined if nothing may go now. */
  async function next(): Promise<ParcelTrial | undefined> {
    if (!mayStart() || (isStrict && queue.pending > 0)) return undefined;
    const isProbe = breaker.state !== 'closed';
    // If order counts, others wait for what failed.
    const isTestNext = isOrdered || (tests < concurrency.limit / 2 && !(concurrency.limit < 2 && wasTest));
    const test = isProbe || !isTestNext ? undefined : trials.take();
    if (test) return test;
    while (isStrict ? trials.count === 0 : trials.hasRoom) {
      const parcel = await fresh(isProbe);
      if (!parcel) break;
      // That of when it was taken: consent may have been denied after that, or before, while the journal was read.
      const { denied = waiting.denied } = parcel;
      const trial = trials.of(parcel, denied);
      if (trial.sent > 0 || denied.aborted) {
        trials.add(trial);
        continue;
      }
      if (mayStart()) return trial;
      waiting.putBack(parcel, 'first');
      return undefined;
    }
    // What failed before is a bad test of the service: it goes only if there is nothing else, or no room for more that failed.
    const isLast = !isProbe || isStrict || isOrdered || !trials.hasRoom || !waiting.hasOthers;
    return isLast && mayStart() ? trials.take(isProbe) : undefined;
  }

  /** Takes what never failed. A probe waits for no others. A run of events at fault must not look like a service that refuses all. */
  async function fresh(isProbe: boolean): Promise<Parcel | undefined> {
    if (!isProbe) return waiting.next(Number.POSITIVE_INFINITY);
    const calm = waiting.hurry();
    const parcel = await waiting.next(PROBE_EVENTS, true);
    calm();
    return parcel;
  }

  function start(trial: ParcelTrial): void {
    const pass = gate.start();
    const ended = sharing?.request();
    wasTest = trial.sent > 0;
    const test = wasTest ? 1 : 0;
    tests += test;
    void queue
      .add(() => deliver(trial, pass))
      .catch(reporter.storageFailed)
      .then(() => {
        tests -= test;
        leaveToOthers();
        ended?.();
        void wake();
      });
  }

  /** When the next request may be made, in milliseconds since 1970; 0 if that is not known. */
  function nextAt(): number {
    const { pause, state } = breaker;
    if (state === 'open' && pause) return pause.until;
    return waiting.pending > trials.events ? 0 : trials.nextAt;
  }

  return {
    wake,
    async whileUseful(work, until) {
      gate.catchUp();
      const over = new AbortController();
      const end = () => over.abort();
      void work.then(end, end);
      while (!over.signal.aborted && (gate.isBusy || nextAt() < until)) {
        await untilWoken(over.signal, (look) => {
          watching.add(look);
          return () => watching.delete(look);
        });
      }
    },
    async stop() {
      retry.stop();
      await pumping;
      await queue.onIdle();
    },
  };
}
