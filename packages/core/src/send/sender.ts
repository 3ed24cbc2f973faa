import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Delivery } from './delivery.ts';
import type { FirstRequest, Requests } from './requests.ts';
import type { SendTurn } from './send-turn.ts';
import type { Waiting } from './waiting.ts';

/** Maximum number of events in a probe: enough to find out whether the service works. */
const PROBE_EVENTS = 10;
/** How requests can outlive the page. The first way is also used if the page may live on. */
const WAYS = ['keepalive', 'later'] as const;
/** Maximum number of parcels for each concurrent request: those that wait for a retry leave their place to others. */
const MOST_WAITING = 8;
/** Maximum number of deliveries of which only suspected events are left. They do not count for `MOST_WAITING`. */
const MOST_SUSPECTS = 1_000;

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
  readonly turn: SendTurn | undefined;
  readonly createDelivery: () => Delivery;
  /** @param concurrency Maximum number of tasks that run at once. */
  readonly createQueue: (concurrency: number) => Queue;
  /** Asks the browser to send waiting events once there is a network, even without a page. Undefined if the process lives on. */
  readonly registerSync: (() => void) | undefined;
  /** Maximum number of requests at the same time. */
  readonly concurrency: number;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  /** Aborts all deliveries. */
  readonly signal: AbortSignal;
}

/** Takes parcels as long as there are any, and keeps several of them in delivery at once. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: Queue;
  #pumping: Promise<void> | undefined;
  #wokenWhilePumping = false;
  /** Runs until something that was put aside may be sent again. */
  readonly #retry: Alarm;
  /** Running deliveries, and for each whether it is small enough to be a probe. */
  readonly #running = new Map<Delivery, boolean>();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#retry = new Alarm(options.clock, () => void this.wake());
    // The gate limits how many requests are made at once, not this queue. One more: a probe, while all others wait.
    this.#queue = options.createQueue(options.concurrency * MOST_WAITING + 1 + MOST_SUSPECTS);
  }

  /** Something may be ready to be sent. Resolves once sending has started, or when nothing more can be sent. */
  wake(): Promise<void> {
    const { turn } = this.#options;
    if (turn?.isOurs === false) return turn.seek();
    this.#wokenWhilePumping = true;
    this.#pumping ??= this.#pump();
    return this.#pumping;
  }

  /**
   * The page may be gone soon: takes events in memory, as far as requests that outlive the page have room. Returns a function
   * that makes these requests before it returns.
   *
   * @param isLeft Whether the page will surely be gone. Then no answer is seen here, so it does not matter if another tab sends
   *   the same events.
   */
  leave(isLeft: boolean): () => void {
    const { registerSync, waiting } = this.#options;
    const last = [...this.#takeNow(isLeft)];
    return () => {
      let others = waiting.pending;
      for (const { parcel, ...first } of last) {
        others -= parcel.count;
        this.#start(parcel, first);
      }
      // What these requests do not take is left to the service worker, in case no page comes back.
      if (others > 0) registerSync?.();
    };
  }

  /** Resolves once all deliveries have ended. Abort the signal before. Events that were not accepted stay in the journal. */
  async stop(): Promise<void> {
    const { turn } = this.#options;
    this.#retry.cancel();
    turn?.yield();
    await this.#pumping;
    await this.#queue.onIdle();
    await turn?.stop();
  }

  async #pump(): Promise<void> {
    const { gate, turn, waiting } = this.#options;
    while (this.#wokenWhilePumping) {
      this.#wokenWhilePumping = false;
      await waiting.dropExpired();
      while (this.#hasRoom()) {
        const isClosed = gate.state === 'closed';
        const most = isClosed ? Number.POSITIVE_INFINITY : PROBE_EVENTS;
        const parcel = await waiting.next(most, () => isClosed && this.#mayRetry());
        if (parcel === undefined) break;
        this.#start(parcel);
      }
    }
    this.#pumping = undefined;
    if (this.#queue.pending === 0) turn?.end();
    else if (gate.state === 'open' && !gate.isBusy) turn?.yield();
  }

  *#takeNow(isLeft: boolean): Generator<FirstRequest & { parcel: Parcel }> {
    const { gate, isStrict, requests, signal, turn, waiting } = this.#options;
    const isShared = !isLeft && turn?.isOurs === false;
    // With strict order one parcel, and none while something older is being sent.
    const isBusy = isShared || this.#pumping !== undefined || this.#queue.pending > 0;
    if (signal.aborted || (isStrict && isBusy)) return;
    for (const outlives of isLeft ? WAYS : [WAYS[0]]) {
      let room = requests.room(outlives);
      while (gate.isFree) {
        const parcel = waiting.takeNow(room, isLeft, isShared);
        if (parcel === undefined) break;
        room -= parcel.body.length;
        yield { parcel, outlives, pass: gate.start() };
        if (isStrict) return;
      }
    }
  }

  #start(parcel: Parcel, first?: FirstRequest): void {
    const { createDelivery, reporter } = this.#options;
    const delivery = createDelivery();
    this.#running.set(delivery, parcel.count <= PROBE_EVENTS);
    void this.#queue
      .add(() => delivery.run(parcel, first))
      .catch(reporter.storageFailed)
      .then(() => {
        this.#running.delete(delivery);
        void this.wake();
      });
  }

  /** Whether one more parcel may be taken. While the breaker is not closed: only if no running delivery can be the probe. */
  #hasRoom(): boolean {
    const { concurrency, gate, isStrict, signal, turn } = this.#options;
    const taken = this.#queue.pending;
    const running = [...this.#running];
    if (signal.aborted || turn?.signal.aborted) return false;
    if (isStrict) return taken === 0;
    if (gate.state !== 'closed') return running.every(([{ isSuspect }, isSmall]) => isSuspect || !isSmall);
    const suspects = Math.min(MOST_SUSPECTS, running.filter(([{ isSuspect }]) => isSuspect).length);
    const most = Math.min(concurrency * MOST_WAITING, gate.mostTaken);
    return taken - gate.parked < concurrency && taken - suspects < most;
  }

  /** Whether what was put aside may be sent again now. If it must wait, sets a timer. */
  #mayRetry(): boolean {
    const waitMs = this.#options.gate.retryWaitMs;
    if (waitMs > 0) this.#retry.set(waitMs);
    return waitMs === 0;
  }
}
