import { Alarm } from '../../base/alarm.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import type { Parcel } from '../keep/parcel.ts';
import type { Tabs } from '../keep/tabs.ts';
import type { Bounds } from '../parts.ts';
import { type Batch, countOf } from './blame.ts';
import { createDelivery, type DeliveryOptions } from './delivery.ts';
import { createFresh } from './fresh.ts';
import type { Traffic } from './traffic.ts';
import { createTurn } from './turn.ts';

const REQUESTS = 4;
/** After storage failed to give what is due, it is asked again. */
const RELOAD_MS = 1_000;

interface SenderOptions extends DeliveryOptions {
  readonly tabs: Tabs;
  readonly bounds: Bounds | undefined;
  readonly refresh: () => Promise<unknown>;
}

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
  /** Begins the last requests of a page that is hidden, or left. Returns whether more waits. */
  leave(isLeft: boolean): boolean;
  /** Consent is denied: nothing is sent again. */
  deny(): void;
  /** Gives the turn to other pages. */
  rest(): void;
  /** Another page wants the turn. */
  wanted(): void;
  /** What waits for its retry is due at once. */
  hurryRetries(): void;
  /** Resolves once no request is under way. */
  stop(): Promise<void>;
}

/** Sends what is due, in the one page that has the turn. */
export function createSender(options: SenderOptions): Sender {
  const { settings, clock, parcels, keeper, gate, blame, reporter } = options;
  const { bounds, end, limits } = options;
  const { batch: sizes, delivery, isOrdered, ordering } = settings;
  const limit = ordering === 'strict' ? 1 : Math.min(REQUESTS, delivery.maxConcurrency);
  const traffic: Traffic = {
    ...{ retries: [], running: 0 },
    ...{ departures: 0, denials: 0, resumes: 0, isStopped: false },
  };
  const { lease, deliver, halve } = createDelivery(options, traffic, wake, hasOthers);
  const fresh = createFresh(options, dueAt, wake);
  const turn = createTurn(options, () => !traffic.isStopped && !keeper.isLeft, wake);
  const timer = new Alarm(clock, wake);
  let urgent = 0;
  let isPumping = false;
  let isWoken = false;
  let watching: (() => void)[] = [];

  function dueAt({ at, isHigh, page, whole }: Parcel): number {
    const isNow = urgent > 0 || isHigh || whole || page !== parcels.own || at > clock.now();
    return isNow ? 0 : at + sizes.maxWaitMs;
  }

  function mayStart(): boolean {
    if (traffic.isStopped || gate.state === 'open' || rateWaitMs() > 0) return false;
    return traffic.running < (gate.state === 'closed' ? limit : 1);
  }

  function rateWaitMs(): number {
    return limits.rate?.waitMs(clock.now()) ?? 0;
  }

  /** Those that need not wait for others. */
  function unblocked(): Batch[] {
    return traffic.retries.filter((batch) => parcels.areFirst(batch.parcels));
  }

  function hasOthers(): boolean {
    return unblocked().some(({ isAlone }) => !isAlone) || fresh.next()[0].length > 0;
  }

  /** When something is due; now, if something new is worth a probe. */
  function nextAt(): number {
    const [next, at] = fresh.next();
    // The clock may have been set back.
    for (const batch of traffic.retries) batch.at = Math.min(batch.at, clock.now() + batch.waitMs);
    const isProbe = gate.state === 'half-open';
    const dueAt = Math.min(isProbe && next.length > 0 ? 0 : at, ...unblocked().map((batch) => batch.at));
    return Math.max(dueAt, clock.now() + rateWaitMs());
  }

  function wake(): void {
    isWoken = true;
    if (isPumping) return;
    if (traffic.isStopped || keeper.isLeft) looked();
    else void pump();
  }

  function looked(): void {
    const told = watching;
    watching = [];
    for (const tell of told) tell();
  }

  function changed(): Promise<void> {
    return new Promise((resolve) => watching.push(resolve));
  }

  async function pump(): Promise<void> {
    isPumping = true;
    while (isWoken) {
      isWoken = false;
      timer.cancel();
      bounds?.dropExpired(traffic.retries);
      traffic.retries = traffic.retries.filter(isAlive);
      if (turn.isOurs) while (!turn.isOver(traffic.running) && mayStart() && (await startNext()));
      const waitMs = Math.ceil(nextAt() - clock.now());
      const isDue = waitMs <= 0 && mayStart();
      if (traffic.running === 0 && (!isDue || turn.isOver(0))) turn.end();
      if (isDue) turn.ask();
      // It became due after the look above.
      if (isDue && turn.isOurs) timer.set(1);
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY && !traffic.isStopped) timer.set(waitMs);
    }
    isPumping = false;
    looked();
  }

  /** Returns false if nothing is due, or cannot be read. */
  async function startNext(): Promise<boolean> {
    const now = clock.now();
    const { denials } = traffic;
    const isProbe = gate.state === 'half-open';
    // The smallest first: it is found soon whether single events are refused, or all.
    const due = unblocked()
      .filter(({ at }) => at <= now)
      .sort(
        (one, other) =>
          Number(one.isAlone) - Number(other.isAlone) ||
          (isProbe ? one.failures - other.failures : 0) ||
          countOf(one) - countOf(other),
      );
    let [batch] = isProbe ? [] : due;
    try {
      if (!batch) {
        const [next, at] = fresh.next();
        if (next.length > 0 && (isProbe || at <= now)) batch = await fresh.take(next, isProbe);
        else [batch] = due;
      }
      if (!batch) return false;
      await keeper.load(batch.parcels);
    } catch (error) {
      reporter.storageFailed(error);
      timer.set(RELOAD_MS);
      return false;
    }
    traffic.retries = traffic.retries.filter((other) => other !== batch);
    batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
    // As a probe, one event says more than many. Without order, there is something new.
    const isSure = isProbe ? isOrdered : batch.pair.isAccepted || limits.refuses?.(batch);
    if (denials < traffic.denials) for (const parcel of batch.parcels) end(parcel, 'denied');
    else if (isSure && countOf(batch) > 1) halve(batch, isProbe);
    else if (batch.parcels.length > 0) void deliver(batch);
    return true;
  }

  return {
    wake,
    get suspects() {
      return traffic.retries
        .filter(({ isSuspect }) => isSuspect)
        .map(({ at, parcels: [parcel], sent, status, words }) => ({
          event: (parcel?.texts?.[0] ?? '').slice(0, 200),
          ...{ tries: sent, nextAt: at, status, words },
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
      if (traffic.isStopped) return false;
      if (traffic.running > 0 || isPumping || turn.isAsked) return true;
      const { pause, state } = gate;
      return (state === 'open' && pause ? pause.until : nextAt()) < until;
    },
    leave(isLeft) {
      const isShared = !isLeft && !turn.isOurs && keeper.survives;
      // Others may have left something older.
      const isBehind = isShared && ordering === 'strict';
      const mayLeave = gate.state === 'closed' && blame.inARow === 0 && !traffic.isStopped && !isBehind;
      const last = mayLeave ? fresh.last(isShared) : [];
      for (const batch of last) lease(batch.parcels);
      void keeper.commit();
      for (const batch of last) void deliver(batch, true);
      if (isLeft) traffic.departures += 1;
      const others = parcels.count(({ leasedUntil, session }) => !session && leasedUntil <= clock.now());
      return others > last.reduce((total, batch) => total + countOf(batch), 0);
    },
    deny() {
      traffic.denials += 1;
      for (const batch of traffic.retries) for (const parcel of batch.parcels) parcel.state = 'waiting';
      traffic.retries = [];
    },
    rest() {
      traffic.departures += 1;
      turn.giveUp();
    },
    changed,
    wanted: turn.wanted,
    hurryRetries(): void {
      traffic.resumes += 1;
      for (const batch of traffic.retries) batch.at = 0;
    },
    async stop() {
      traffic.isStopped = true;
      timer.stop();
      turn.giveUp();
      looked();
      while (traffic.running > 0 || isPumping) await changed();
    },
  };
}

function isAlive({ parcels }: Batch): boolean {
  return parcels.some(({ state }) => state !== 'ended');
}
