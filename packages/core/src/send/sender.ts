import { type Clock, untilWoken } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Sharing } from '../keep/journal.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { createDelivery } from './delivery.ts';
import type { Evidence } from './evidence.ts';
import type { Requests } from './requests.ts';
import type { SendTurn } from './send-turn.ts';
import type { Trial } from './trial.ts';
import type { Trials } from './trials.ts';
import type { Waiting } from './waiting.ts';

/** Number of events in a probe: a second one could be at fault. */
const PROBE_EVENTS = 1;
/** How soon to look again for what is due, in milliseconds. */
const DUE_MS = 10;

/** Runs tasks in parallel: the part of p-queue that Sluice uses. */
export interface Queue {
  /** Number of running tasks. */
  readonly pending: number;
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves once no task runs or waits. */
  onIdle(): Promise<void>;
}

interface SenderOptions {
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly gate: Gate;
  readonly requests: Pick<Requests, 'room'>;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Undefined if no other tabs share the journal. */
  readonly sharing: Pick<Sharing, 'isLeft' | 'lease'> | undefined;
  readonly turn: SendTurn | undefined;
  /** For how long other tabs leave alone what is in a request, in milliseconds. */
  readonly leaseMs: number;
  readonly trials: Trials;
  readonly deliver: ReturnType<typeof createDelivery>;
  readonly evidence: Pick<Evidence, 'inARow'>;
  /** The gate limits how many requests are made at once, not this queue. */
  readonly queue: Queue;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  /** Whether no event may overtake another of its customer. */
  readonly isOrdered: boolean;
  /** Aborts all deliveries. */
  readonly signal: AbortSignal;
}

/** Takes parcels as long as there are any, and keeps several of them in requests at once. */
export interface Sender {
  /** Something may be ready to be sent. Resolves once sending has started, or when nothing more can be sent. */
  wake(): Promise<void>;
  /**
   * The page may be gone soon: takes events in memory, as far as requests that outlive the page have room. Returns a function
   * that makes these requests before it returns.
   *
   * @param isLeft Whether the page will surely be gone. Then no answer is seen here.
   * @param isKept Whether it takes nothing.
   */
  leave(isLeft: boolean, isKept: boolean): () => void;
  /** Resolves when the work ends, or when no request is under way and none will be made before `until` (in ms since 1970). */
  whileUseful(work: Promise<void>, until: number): Promise<void>;
  /** Resolves once all deliveries have ended. Abort the signal before. Events that were not accepted stay in the journal. */
  stop(): Promise<void>;
}

export function createSender(options: SenderOptions): Sender {
  const { clock, deliver, evidence, gate, isOrdered, isStrict, leaseMs, queue } = options;
  const { reporter, requests, sharing, signal, trials, turn, waiting } = options;
  let pumping: Promise<void> | undefined;
  let wokenWhilePumping = false;
  /** Rings when something that failed may be sent again. */
  const retry = new Alarm(clock, () => {
    trials.due(retryAt);
    void wake();
  });
  let retryAt = 0;
  /** How often the page was left. */
  let departures = 0;
  /** Requests under way with something that failed before. */
  let tests = 0;
  let wasTest = false;
  const watching = new Set<() => void>();

  function wake(): Promise<void> {
    // What fails now goes on without the page.
    if (sharing?.isLeft) return Promise.resolve();
    if (turn?.isOurs === false) {
      leaveTrials();
      return turn.seek();
    }
    wokenWhilePumping = true;
    pumping ??= pump();
    return pumping;
  }

  async function pump(): Promise<void> {
    // Once stopped, nothing ends any more: the journal may be closed.
    while (wokenWhilePumping && !signal.aborted) {
      wokenWhilePumping = false;
      await waiting.dropExpired();
      await trials.tidy();
      for (let trial = await next(); trial; trial = await next()) start(trial);
    }
    pumping = undefined;
    const isOver = turn?.signal.aborted || trials.count === 0 || gate.state === 'open';
    if (turn && isOver && !signal.aborted && leaveTrials()) turn.end();
    const { nextAt: dueAt } = trials;
    // Otherwise it rings in time, though the clock may have been set back.
    if (dueAt !== retryAt) retry.cancel();
    retryAt = dueAt;
    const waitMs = dueAt - clock.now();
    if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) retry.set(waitMs);
    // It has become due just now. If the gate lets nothing go, it says when that changes.
    else if (waitMs <= 0 && gate.mayStart) retry.set(DUE_MS);
    for (const look of watching) look();
  }

  /** What failed goes back, so that other tabs can send it. Returns false if there are requests under way. */
  function leaveTrials(): boolean {
    if (queue.pending > 0) return false;
    trials.leave(gate.state !== 'closed');
    return true;
  }

  /** Takes what goes next. Undefined if nothing may go now. */
  async function next(): Promise<Trial | undefined> {
    const mayStart = () => !(signal.aborted || turn?.signal.aborted) && gate.mayStart;
    if (!mayStart() || (isStrict && queue.pending > 0)) return undefined;
    const isProbe = gate.state !== 'closed';
    // If order counts, others wait for what failed.
    const isTestNext = isOrdered || (tests < gate.limit / 2 && !(gate.limit < 2 && wasTest));
    const test = isProbe || !isTestNext ? undefined : trials.take();
    if (test) return test;
    while (isStrict ? trials.count === 0 : isProbe || trials.hasRoom) {
      const parcel = await fresh(isProbe);
      if (!parcel) break;
      const trial = trials.of(parcel);
      if (trial.sent > 0) {
        trials.add(trial);
        continue;
      }
      if (mayStart()) return trial;
      waiting.putBack(parcel, 'first');
      return undefined;
    }
    // What failed before is no test of the service, as long as there is anything else.
    const isLast = !isProbe || isStrict || isOrdered || waiting.pending === waiting.inFlight;
    return isLast && mayStart() ? trials.take(isProbe) : undefined;
  }

  /** Takes what never failed. A probe waits for no others. */
  async function fresh(isProbe: boolean): Promise<Parcel | undefined> {
    if (!isProbe) return waiting.next(Number.POSITIVE_INFINITY);
    const calm = waiting.hurry();
    const parcel = await waiting.next(PROBE_EVENTS);
    calm();
    return parcel;
  }

  function* takeNow(isLeft: boolean): Generator<Trial> {
    const isShared = !isLeft && turn?.isOurs === false;
    // With strict order one parcel, and none while something older is being sent.
    const isBusy = isShared || pumping !== undefined || queue.pending > 0 || trials.count > 0;
    if (signal.aborted || (isStrict && isBusy)) return;
    let room = requests.room();
    while (gate.isFree) {
      const parcel = waiting.takeNow(room, isShared);
      if (!parcel) return;
      room -= parcel.body.length;
      // Now, with what else the page writes as it goes: a browser may lose a second transaction.
      sharing?.lease?.(parcel.places.ranges, leaseMs, parcel.isHanded);
      yield trials.of(parcel);
      if (isStrict) return;
    }
  }

  function start(trial: Trial, outlives?: boolean): void {
    const pass = gate.start();
    const before = departures;
    const { places } = trial.parcel;
    // In the same task as the request: a page that is frozen between the two would lease events that nobody sends. While requests
    // fail, this one will probably fail too: other pages need not wait for it.
    if (!outlives && evidence.inARow === 0) sharing?.lease?.(places.ranges, leaseMs);
    wasTest = trial.sent > 0;
    const test = wasTest ? 1 : 0;
    tests += test;
    void queue
      .add(() => deliver(trial, pass, outlives))
      .catch(reporter.storageFailed)
      .then(() => {
        tests -= test;
        // Aborted, or left by its page, perhaps for a time, the request may have arrived all the same: its lease goes on.
        if (before < departures || sharing?.isLeft)
          Object.assign(trial, { at: pass.at + leaseMs, leasedUntil: pass.at + leaseMs, aliveMs: undefined });
        else if (!signal.aborted) sharing?.lease?.(places.ranges, 0);
        void wake();
      });
  }

  /** When the next request may be made, in milliseconds since 1970; 0 if that is not known. */
  function nextAt(): number {
    if (gate.state === 'open' && gate.pause) return gate.pause.until;
    return waiting.pending > trials.events ? 0 : trials.nextAt;
  }

  return {
    wake,
    leave(isLeft, isKept) {
      // While requests fail, one more would probably fail too, and the next page would wait for its lease.
      const last = isKept || evidence.inARow > 0 ? [] : [...takeNow(isLeft)];
      return () => {
        for (const trial of last) start(trial, true);
        if (isLeft) departures += 1;
      };
    },
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
      turn?.yield();
      await pumping;
      await queue.onIdle();
      await turn?.stop();
    },
  };
}
