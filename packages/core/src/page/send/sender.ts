import { BATCH_OVERHEAD_BYTES, untilWoken } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { bytesOf, countOf } from '../../send/trial.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import { free, type Parcel } from '../keep/parcel.ts';
import { type Batch, batchOf, isAlive, rankOf } from './batch.ts';
import { createDelivery } from './delivery.ts';
import { nameCustomer } from './relay.ts';
import type { SenderOptions } from './stages.ts';

const REQUESTS = 4;
/** After this time other pages have the turn. */
const TURN_MS = 10_000;
/** A page that cannot list what is stored so often in a row sends what it knows. */
const MOST_MISSES = 3;

export interface Sender {
  readonly suspects: TrackerStats['suspects'];
  /** Looks for what is due. */
  wake(): void;
  /** Until the returned function is called, what waits is due at once. */
  hurry(): () => void;
  /** Whether something may happen before this time. */
  isUseful(until: number): boolean;
  /** Resolves after the next look. */
  changed(): Promise<void>;
  /**
   * Begins the last requests of a page that is hidden, or left. Returns whether more waits.
   *
   * @param isFollowed The next page sends what outlives this one.
   */
  leave(isLeft: boolean, isFollowed: boolean): boolean;
  /** Consent is denied: nothing is sent again. */
  deny(): void;
  /** Gives the turn to other pages. */
  rest(): void;
  /** Another page wants the turn. */
  waits(): void;
  /** What waits for its retry is due at once. */
  retry(): void;
  /** Resolves once no request is pending. */
  stop(): Promise<void>;
}

/** Sends what is due, in the one page that has the turn. */
export function createSender(options: SenderOptions): Sender {
  const { settings, clock, parcels, keeper, gate, reporter, bounds, limits } = options;
  const { list, relay, tabs, consent, transport } = options;
  const { batch: sizes, delivery, isOrdered, ordering } = settings;
  const isStrict = ordering === 'strict';
  const limit = isStrict ? 1 : Math.min(REQUESTS, delivery.maxConcurrency);
  const { blame, deliver, halve, traffic } = createDelivery(options, wake, hasOthers);
  const timer = new Alarm(clock, wake);
  let urgent = 0;
  let isPumping = false;
  let isWoken = false;
  const watching: (() => void)[] = [];
  /** Every other request has what is newest: it does not wait for all that an outage left. */
  let isNewest = false;
  /** Set while this page has the turn, or waits for it. */
  let asking: AbortController | undefined;
  /** Set while this page has the turn. */
  let finish: (() => void) | undefined;
  let turnUntil = 0;
  let isWanted = false;
  let misses = 0;

  function dueAt({ at, isHigh, page }: Parcel): number {
    return urgent > 0 || isHigh || page !== parcels.own || at > clock.now() ? 0 : at + sizes.maxWaitMs;
  }

  const rateWaitMs = () => limits.rate?.waitMs(clock.now()) ?? 0;

  function mayStart(): boolean {
    const most = gate.state === 'closed' ? limit : Number(gate.state === 'half-open');
    return !traffic.isStopped && traffic.running < most && rateWaitMs() <= 0;
  }

  /** While requests hang, this page keeps its turn unless others want it. */
  const isOver = () => clock.now() >= turnUntil && (isWanted || traffic.running === 0);

  /** What waits for its first request, and when that is due. */
  function fresh(may: (parcel: Parcel) => boolean, room = Number.POSITIVE_INFINITY): [Parcel[], number] {
    const { maxBytes, maxEvents } = limits.most;
    return parcels.next({
      ...{ maxEvents, maxBytes: Math.min(maxBytes, room) },
      ...{ isOne: !!relay, isNewest, dueAt, now: clock.now() },
      mayGo: (parcel) => may(parcel) && (relay?.mayGo(parcel) ?? true),
    });
  }

  /** What need not wait for others, in the order in which it is tried. */
  function candidates(): Batch[] {
    const now = clock.now();
    const isProbe = gate.state === 'half-open';
    const [next, at] = fresh(keeper.isSafe);
    const first: Batch = { ...batchOf(isProbe ? next.slice(0, 1) : next), at: isProbe && next[0] ? 0 : at };
    // What is new is the best probe, but for what was cut from it.
    const rank = (batch: Batch) => (batch !== first ? rankOf(batch) : isProbe ? 2 : 1e8);
    traffic.retries = traffic.retries.filter((batch) => isAlive(batch, parcels));
    const retries = traffic.retries.filter((batch) => consent.isGranted && parcels.areFirst(batch.parcels));
    // The clock may have been set back. Another page may have it in a request.
    for (const batch of retries) {
      const leases = batch.parcels.map(({ leasedUntil }) => leasedUntil);
      batch.at = Math.max(Math.min(batch.at, now + batch.waitMs), ...leases);
    }
    return [first, ...retries].sort((one, other) => rank(one) - rank(other));
  }

  function hasOthers(): boolean {
    return candidates().some(({ isAlone, parcels }) => !isAlone && parcels.length > 0);
  }

  /** When something is due. */
  const nextAt = () => Math.max(Math.min(...candidates().map(({ at }) => at)), clock.now() + rateWaitMs());

  function wake(): void {
    isWoken = true;
    if (isPumping) return;
    if (traffic.isStopped || keeper.isLeft) looked();
    else void pump();
  }

  function looked(): void {
    for (const tell of watching.splice(0)) tell();
  }

  const changed = () => new Promise<void>((resolve) => watching.push(resolve));

  async function pump(): Promise<void> {
    isPumping = true;
    while (isWoken) {
      isWoken = false;
      timer.cancel();
      bounds?.expire(traffic.retries);
      while (finish && !isOver() && mayStart() && (await startNext()));
      const waitMs = Math.ceil(nextAt() - clock.now());
      const isDue = waitMs <= 0 && mayStart();
      if (traffic.running === 0 && (!isDue || isOver())) finish?.();
      if (isDue) void ask();
      // It became due after the look above.
      if (isDue && finish && !isOver()) timer.set(1);
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) timer.set(waitMs);
    }
    isPumping = false;
    looked();
  }

  async function ask(): Promise<void> {
    if (asking) return;
    asking = new AbortController();
    const { signal } = asking;
    // One that is frozen or left while it lists lets go at once: others wait.
    const turn = () =>
      untilWoken(signal, (wake) => {
        void work(signal).then(() => signal.aborted || wake());
        return () => finish?.();
      });
    await tabs.alone(turn, signal).catch(() => undefined);
    // A turn that was lost is over, too.
    asking.abort();
    asking = undefined;
    wake();
  }

  async function work(signal: AbortSignal): Promise<void> {
    try {
      await list();
      misses = 0;
    } catch (error) {
      reporter.storageFailed(error);
      misses += 1;
      // Twice is better than never.
      if (misses < MOST_MISSES) return;
    }
    if (signal.aborted || keeper.isLeft) return;
    await new Promise<void>((resolve) => {
      finish = resolve;
      turnUntil = clock.now() + TURN_MS;
      wake();
    });
    finish = undefined;
    isWanted = false;
  }

  /** Begins with what is due, or reads it. Returns false if there is nothing. */
  async function startNext(): Promise<boolean> {
    const now = clock.now();
    const batch = candidates().find(({ at }) => at <= now);
    if (!batch) return false;
    // Once it is read, something else may be due: from there on all happens in one task.
    if (batch.parcels.every(({ texts }) => texts)) start(batch);
    else await keeper.load(batch.parcels);
    return true;
  }

  function start(batch: Batch): void {
    const { maxBytes, maxEvents } = limits.most;
    const isProbe = gate.state === 'half-open';
    const isNew = (parcel: Parcel) => nameCustomer(parcel, parcels.cut);
    if ((relay || isOrdered) && batch.parcels.filter(isNew).length > 0) return;
    hold(batch);
    const count = countOf(batch);
    // A probe is one event, and no request is larger than the service accepts.
    const fitting = isProbe ? 1 : Math.min(maxEvents, (count * maxBytes) / bytesOf(batch.parcels));
    if (batch.sent < 1 && !traffic.retries.includes(batch)) isNewest = !isNewest;
    const isSure = batch.sent > 0 ? blame.isFound(batch) : count > fitting || limits.refuses?.(batch);
    traffic.retries = traffic.retries.filter((other) => other !== batch);
    if (count > 1 && isSure) halve(batch, fitting);
    else void deliver(batch);
  }

  function hold({ parcels: taken }: Batch): void {
    for (const parcel of taken) {
      parcel.state = 'out';
      if (parcel === parcels.filling) parcels.seal();
    }
  }

  return {
    wake,
    get suspects() {
      return traffic.retries
        .filter(({ isSuspect }) => isSuspect)
        .map(({ at, parcels: [parcel], sent, why }) => ({
          event: (parcel?.texts?.[0] ?? '').slice(0, 200),
          ...{ tries: sent, nextAt: at, status: why?.status ?? 0, words: why?.words ?? '' },
        }));
    },
    hurry(): () => void {
      urgent += 1;
      wake();
      return () => {
        urgent -= 1;
      };
    },
    isUseful(until: number): boolean {
      const { pause, state } = gate;
      const writing = parcels.count(({ kept }) => kept === 'writing');
      const isBusy = traffic.running + writing > 0 || isPumping || !!asking || relay?.isAsking;
      const next = state === 'open' && pause ? pause.until : nextAt();
      return !traffic.isStopped && (isBusy || next < until);
    },
    leave(isLeft, isFollowed) {
      const isShared = !isLeft && !finish && keeper.survives;
      // A relay must know whose a replayed event is.
      const isOwn = (parcel: Parcel) => {
        const { customer, kept, page, texts } = parcel;
        return (
          !!texts &&
          page === parcels.own &&
          !(relay && !customer) &&
          !(isShared && kept && kept !== 'failed') &&
          !(isFollowed && keeper.outlives(parcel))
        );
      };
      let others = parcels.count(({ session }) => !session);
      // Where order is strict, others may have left something older.
      const mayLeave = gate.state === 'closed' && blame.inARow === 0 && !(isShared && isStrict);
      for (let room = transport.room?.() ?? 0; mayLeave && !traffic.isStopped; ) {
        room -= BATCH_OVERHEAD_BYTES;
        // A relay knows one parcel by its name.
        const [taken] = fresh(isOwn, relay ? 1 : room);
        room -= bytesOf(taken);
        if (taken.length === 0 || room < 0) break;
        const batch = batchOf(taken);
        others -= countOf(batch);
        hold(batch);
        void deliver(batch, true);
      }
      if (isLeft) traffic.left += 1;
      return others > 0;
    },
    deny() {
      traffic.denied += 1;
      for (const batch of traffic.retries.splice(0)) free(batch.parcels);
    },
    rest() {
      traffic.left += 1;
      asking?.abort();
    },
    changed,
    waits() {
      isWanted = true;
    },
    retry(): void {
      traffic.resumed += 1;
      for (const batch of traffic.retries) batch.at = 0;
    },
    async stop() {
      traffic.isStopped = true;
      timer.stop();
      asking?.abort();
      looked();
      while (traffic.running > 0 || isPumping) await changed();
    },
  };
}
