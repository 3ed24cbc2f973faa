import { Alarm } from '../base/alarm.ts';
import { rangeLength } from '../base/range.ts';
import { together } from '../keep/journal.ts';
import type { Batch } from '../wait/batch.ts';
import type { Batcher } from '../wait/batcher.ts';
import { Delivery, type DeliveryOptions, type FirstRequest } from './delivery.ts';
import type { Queue } from './queue.ts';
import { SendTurn } from './send-turn.ts';
import type { OutgoingLane, OutgoingLanes } from './settlement.ts';

/** Maximum number of events in a probe: enough to find out whether the service works. */
const PROBE_EVENTS = 10;
/** How requests can outlive the page. The first way is also used if the page may live on. */
const WAYS = ['keepalive', 'later'] as const;
/** Maximum number of batches for each concurrent request: those that wait for a retry leave their place to others. */
const MOST_WAITING = 8;
/** Maximum number of deliveries of which only suspected events are left. They do not count for `MOST_WAITING`. */
const MOST_SUSPECTS = 1_000;
const DONE = Promise.resolve();

export interface SenderOptions extends DeliveryOptions {
  readonly lanes: OutgoingLanes;
  /** @param concurrency Maximum number of tasks that run at once. */
  readonly createQueue: (concurrency: number) => Queue;
  readonly createAbortController: () => AbortController;
  /** Asks the browser to send waiting events once there is a network, even without a page. Left out if the process lives on. */
  readonly registerSync?: (() => void) | undefined;
  readonly concurrency: number;
  /** Whether sending may start. With strict order, what previous processes left must be known first. Then call `wake()`. */
  readonly isReady: () => boolean;
  /** Whether consent is denied. Then nothing is sent, and waiting events are about to be dropped. */
  readonly isDenied?: (() => boolean) | undefined;
}

/** Takes batches as long as there are any, and keeps several of them in delivery at once. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: Queue;
  #pumping: Promise<void> | undefined;
  #wokenWhilePumping = false;
  /** Runs until a batch that was put aside may be sent again. */
  readonly #retry: Alarm;
  /** Set if other tabs share the journal. */
  readonly #turn: SendTurn | undefined;
  /** Running deliveries, and for each whether it is small enough to be a probe. */
  readonly #running = new Map<Delivery, boolean>();

  constructor(options: SenderOptions) {
    const { sharing } = options.journal;
    this.#options = options;
    this.#turn = sharing && new SendTurn({ ...options, sharing, wake: () => this.wake() });
    this.#retry = new Alarm(options.clock, () => void this.wake());
    // The gate limits how many requests are made at once, not this queue. One more: a probe, while all others wait.
    this.#queue = options.createQueue(options.concurrency * MOST_WAITING + 1 + MOST_SUSPECTS);
  }

  /** Something may be ready to be sent. Resolves once sending has started, or when nothing more can be sent. */
  wake(): Promise<void> {
    if (!this.#options.isReady()) return DONE;
    if (this.#turn?.isOurs === false) return this.#turn.seek();
    this.#wokenWhilePumping = true;
    this.#pumping ??= this.#pumpOnce();
    return this.#pumping;
  }

  /**
   * The page may be gone soon: before this function returns, events in memory are sent, as far as requests that outlive the
   * page have room.
   *
   * @param isLeft Whether the page will surely be gone. Then no answer is seen here, so it does not matter if another tab sends
   *   the same events.
   * @param write Passes all remaining events to the journal. Called before the first request is made.
   */
  leave(isLeft: boolean, write: () => void): void {
    const last = together(this.#options.journal, () => {
      const taken = [...this.#takeNow(isLeft)];
      write();
      return taken;
    });
    let others = 0;
    for (const { backlog } of this.#options.lanes.all) others += backlog.pending;
    for (const { batch, lane, ...first } of last) {
      others -= rangeLength(batch.range);
      this.#start(batch, lane, first);
    }
    // What these requests do not take is left to the service worker, in case no page comes back.
    if (others > 0) this.#options.registerSync?.();
  }

  /** Ends all deliveries without waiting for answers. Events that were not accepted stay in the journal. */
  async stop(): Promise<void> {
    this.#retry.cancel();
    this.#options.abort.abort();
    this.#turn?.yield();
    await this.#pumping;
    await this.#queue.onIdle();
    await this.#turn?.stop();
  }

  async #pumpOnce(): Promise<void> {
    while (this.#wokenWhilePumping) {
      this.#wokenWhilePumping = false;
      await this.#dropExpired();
      while (this.#hasRoom()) {
        if (!(await this.#startNext())) break;
      }
    }
    this.#pumping = undefined;
    const { gate } = this.#options;
    if (this.#queue.pending === 0) this.#turn?.end();
    else if (gate.state === 'open' && !gate.isBusy) this.#turn?.yield();
  }

  /** Returns false if no lane has a batch that is due. */
  async #startNext(): Promise<boolean> {
    for (const lane of this.#options.lanes.all) {
      const batch = await this.#nextBatch(lane);
      if (batch === undefined) continue;
      this.#start(batch, lane);
      return true;
    }
    return false;
  }

  *#takeNow(isLeft: boolean): Generator<FirstRequest & { batch: Batch; lane: OutgoingLane }> {
    const { gate, lanes, requests } = this.#options;
    const isShared = !isLeft && this.#turn?.isOurs === false;
    let most = this.#mostNow(isShared);
    for (const outlives of isLeft ? WAYS : [WAYS[0]]) {
      let room = requests.room(outlives);
      for (const lane of lanes.all) {
        for (; most > 0 && gate.isFree; most -= 1) {
          const batch = lane.takeNow(room, isLeft, isShared);
          if (batch === undefined) break;
          room -= batch.body.length;
          yield { batch, lane, outlives, pass: gate.start() };
        }
      }
    }
  }

  /** How many batches may be sent now. With strict order one, and none while something older waits or is being sent. */
  #mostNow(isShared: boolean): number {
    const { abort, isDenied, isReady, isStrict, lanes } = this.#options;
    if (abort.signal.aborted || isDenied?.()) return 0;
    if (!isStrict) return Number.POSITIVE_INFINITY;
    const isBusy = isShared || !isReady() || this.#pumping !== undefined || this.#queue.pending > 0;
    return isBusy || lanes.all.some(({ backlog }) => backlog.stored > 0) ? 0 : 1;
  }

  #start(batch: Batch, lane: OutgoingLane, first?: FirstRequest): void {
    const delivery = new Delivery(this.#options, lane, this.#turn?.signal);
    const isProbe = batch.events.ends.length <= PROBE_EVENTS;
    this.#running.set(delivery, isProbe);
    void this.#queue
      .add(() => delivery.run(batch, first))
      .catch(this.#options.reporter.storageFailed)
      .then(() => {
        this.#running.delete(delivery);
        void this.wake();
      });
  }

  /** Whether one more batch may be taken. While the breaker is not closed: only if no running batch can be the probe. */
  #hasRoom(): boolean {
    const { abort, concurrency, gate, isDenied, isStrict } = this.#options;
    const taken = this.#queue.pending;
    const running = [...this.#running];
    if (abort.signal.aborted || this.#turn?.signal.aborted || isDenied?.()) return false;
    if (isStrict) return taken === 0;
    if (gate.state !== 'closed') return running.every(([{ isSuspect }, isSmall]) => isSuspect || !isSmall);
    const suspects = Math.min(MOST_SUSPECTS, running.filter(([{ isSuspect }]) => isSuspect).length);
    const most = Math.min(concurrency * MOST_WAITING, gate.mostTaken);
    return taken - gate.parked < concurrency && taken - suspects < most;
  }

  async #nextBatch({ backlog, batcher, underWay }: OutgoingLane): Promise<Batch | undefined> {
    const left = underWay.left.shift();
    if (left !== undefined) return left;
    const { abort, gate } = this.#options;
    const isClosed = gate.state === 'closed';
    const most = isClosed ? undefined : PROBE_EVENTS;
    try {
      return await batcher.next(most, isClosed && this.#takesAside(backlog));
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      this.#holdStored(batcher, error);
      return batcher.next(most);
    }
  }

  /** Whether a batch that was put aside may be sent again now. If it must wait, sets a timer. */
  #takesAside(backlog: OutgoingLane['backlog']): boolean {
    const { gate } = this.#options;
    if (backlog.peekStored(true) === undefined) return false;
    const waitMs = gate.retryWaitMs;
    if (waitMs === 0) return true;
    this.#retry.set(waitMs);
    return false;
  }

  async #dropExpired(): Promise<void> {
    const { abort, lanes } = this.#options;
    for (const { batcher } of lanes.all) {
      try {
        if (!abort.signal.aborted) await batcher.dropExpired();
      } catch (error) {
        this.#holdStored(batcher, error);
      }
    }
  }

  /** Stored events cannot be read now: tries again later. */
  #holdStored(batcher: Batcher, error: unknown): void {
    this.#options.reporter.storageFailed(error);
    batcher.holdStored();
  }
}
