import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Limit } from '../../base/event-bytes.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import type { Parcel } from '../keep/parcel.ts';
import { byteLength, type Parcels } from '../keep/parcels.ts';
import type { Tabs } from '../keep/tabs.ts';
import type { Bounds } from '../parts.ts';
import { type Batch, batchOf, bytesOf, countOf } from './blame.ts';
import { createDelivery, type DeliveryOptions } from './delivery.ts';
import { nameCustomer } from './relay.ts';
import type { Traffic } from './traffic.ts';

const REQUESTS = 4;
const TURN_MS = 10_000;
/** A page that cannot list what is stored so often in a row sends what it knows. */
const MOST_MISSES = 3;

interface SenderOptions extends DeliveryOptions {
  readonly parcels: Parcels;
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
  const { settings, clock, parcels, keeper, tabs, gate, blame, requests, relay, reporter } = options;
  const { bounds, cut, limits, refresh } = options;
  const { batch: sizes, delivery, lanes, ordering } = settings;
  const limit = ordering === 'strict' ? 1 : Math.min(REQUESTS, delivery.maxConcurrency);
  const traffic: Traffic = {
    ...{ retries: [], running: 0 },
    ...{ departures: 0, denials: 0, resumes: 0, isStopped: false },
  };
  const { lease, deliver, halve } = createDelivery(options, traffic, wake, hasOthers);
  const timer = new Alarm(clock, wake);
  let urgent = 0;
  /** Every other request has what is newest: it does not wait for all that an outage left. */
  let isNewest = false;
  let isPumping = false;
  let isWoken = false;
  let asking: AbortController | undefined;
  /** Ends this page's turn. */
  let endTurn: (() => void) | undefined;
  let turnUntil = 0;
  let isWanted = false;
  let misses = 0;
  let watching: (() => void)[] = [];

  const dueAt = ({ at, isHigh, page, whole }: Parcel) =>
    urgent > 0 || isHigh || whole || page !== parcels.own || at > clock.now() ? 0 : at + sizes.maxWaitMs;

  /** While requests hang, it goes on unless others want the turn. */
  const isOver = () => clock.now() >= turnUntil && (isWanted || traffic.running === 0);

  const mayGo = (parcel: Parcel) => keeper.isSafe(parcel) && (relay?.mayGo(parcel) ?? true);

  function mayStart(): boolean {
    if (traffic.isStopped || gate.state === 'open' || rateWaitMs() > 0) return false;
    return traffic.running < (gate.state === 'closed' ? limit : 1);
  }

  function rateWaitMs(): number {
    return limits.rate?.waitMs(clock.now()) ?? 0;
  }

  function most(): Limit {
    const { maxEvents, maxBytes } = limits.most;
    return { maxEvents: Math.min(maxEvents, sizes.maxEvents), maxBytes: Math.min(maxBytes, sizes.maxBytes) };
  }

  function nextFresh(): [Parcel[], number] {
    return parcels.next({ ...most(), isOne: !!relay, isNewest, mayGo, dueAt, now: clock.now() });
  }

  /** Those that need not wait for others. */
  function unblocked(): Batch[] {
    return traffic.retries.filter((batch) => parcels.areFirst(batch.parcels));
  }

  function hasOthers(): boolean {
    return unblocked().some(({ isAlone }) => !isAlone) || nextFresh()[0].length > 0;
  }

  /** When something is due; now, if something new is worth a probe. */
  function nextAt(): number {
    const [fresh, at] = nextFresh();
    // The clock may have been set back.
    for (const batch of traffic.retries) batch.at = Math.min(batch.at, clock.now() + batch.waitMs);
    const isProbe = gate.state === 'half-open';
    const dueAt = Math.min(isProbe && fresh.length > 0 ? 0 : at, ...unblocked().map((batch) => batch.at));
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
      if (endTurn) while (!isOver() && mayStart() && (await startNext()));
      const waitMs = Math.ceil(nextAt() - clock.now());
      const isDue = waitMs <= 0 && mayStart();
      if (traffic.running === 0 && endTurn && (!isDue || isOver())) endTurn();
      if (isDue && !endTurn && !asking) void ask();
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY && !traffic.isStopped) timer.set(waitMs);
    }
    isPumping = false;
    looked();
  }

  async function ask(): Promise<void> {
    asking = new AbortController();
    const work = async () => {
      try {
        await refresh();
        misses = 0;
      } catch (error) {
        reporter.storageFailed(error);
        misses += 1;
        // Twice is better than never.
        if (misses < MOST_MISSES) return;
      }
      if (traffic.isStopped || keeper.isLeft) return;
      const end = new Promise<void>((resolve) => {
        endTurn = resolve;
      });
      turnUntil = clock.now() + TURN_MS;
      wake();
      await end;
      endTurn = undefined;
      isWanted = false;
    };
    await (keeper.survives ? tabs.alone(work, asking.signal) : work()).catch(() => undefined);
    // A turn that was lost is over, too.
    endTurn?.();
    asking = undefined;
    wake();
  }

  /** Returns false if nothing is due. */
  async function startNext(): Promise<boolean> {
    const now = clock.now();
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
    if (!batch) {
      const [fresh, at] = nextFresh();
      if (fresh.length > 0 && (isProbe || at <= now)) batch = await fetchFresh(fresh, isProbe);
      else [batch] = due;
    }
    if (!batch) return false;
    traffic.retries = traffic.retries.filter((other) => other !== batch);
    batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
    // As a probe, one event says more than many. Without order, there is something new.
    const isSure = isProbe ? lanes : batch.pair.isAccepted || limits.refuses?.(batch);
    if (isSure && countOf(batch) > 1) halve(batch, isProbe);
    else if (batch.parcels.length > 0) void deliver(batch);
    return true;
  }

  function take(taken: readonly Parcel[]): void {
    for (const parcel of taken) {
      parcel.state = 'out';
      if (parcel === parcels.filling) parcels.seal();
    }
  }

  async function fetchFresh(fresh: readonly Parcel[], isProbe: boolean): Promise<Batch | undefined> {
    const taken = isProbe ? fresh.slice(0, 1) : fresh;
    isNewest = !isNewest;
    take(taken);
    try {
      await keeper.load(taken);
    } catch (error) {
      for (const parcel of taken) parcel.state = 'waiting';
      reporter.storageFailed(error);
      return undefined;
    }
    if ((relay || lanes) && !isReady(taken)) return undefined;
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
  }

  /** Whether each is of one customer, for a relay all of the same one with a ticket. Otherwise it waits again. */
  function isReady(taken: readonly Parcel[]): boolean {
    for (const parcel of taken) {
      const other = parcel.state === 'ended' ? undefined : nameCustomer(parcel);
      if (other) for (const part of cut(parcel, other)) part.state = 'waiting';
    }
    const isOne = (parcel: Parcel) =>
      parcel.state === 'out' && (!relay || (parcel.customer === taken[0]?.customer && mayGo(parcel)));
    if (taken.every(isOne)) return true;
    for (const parcel of taken) if (parcel.state === 'out') parcel.state = 'waiting';
    isWoken = true;
    return false;
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
      if (traffic.running > 0 || isPumping || asking) return true;
      const { pause, state } = gate;
      return (state === 'open' && pause ? pause.until : nextAt()) < until;
    },
    leave(isLeft) {
      const last: Batch[] = [];
      const isShared = !isLeft && !endTurn && keeper.survives;
      // Others may have left something older.
      const isBehind = isShared && ordering === 'strict';
      const isOwn = (parcel: Parcel) => {
        const { isStored, isWriting, page, texts } = parcel;
        const isLeftAlone = page !== parcels.own || (isShared && (isStored || isWriting));
        return !!texts && !isLeftAlone && (relay?.mayGo(parcel) ?? true);
      };
      const mayLeave = gate.state === 'closed' && blame.inARow === 0 && !traffic.isStopped && !isBehind;
      for (let { room } = requests; mayLeave; ) {
        const { maxBytes, maxEvents } = most();
        // A relay knows one parcel by its name.
        const [taken] = parcels.next({
          ...{ maxEvents, maxBytes: relay ? 1 : Math.min(maxBytes, room) },
          ...{ isOne: !!relay, isNewest: false, mayGo: isOwn, dueAt, now: clock.now() },
        });
        const bytes = bytesOf(taken);
        if (taken.length === 0 || bytes > room) break;
        room -= bytes + BATCH_OVERHEAD_BYTES;
        take(taken);
        lease(taken);
        last.push(batchOf(taken));
      }
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
      asking?.abort();
      endTurn?.();
    },
    changed,
    wanted() {
      isWanted = true;
    },
    hurryRetries(): void {
      traffic.resumes += 1;
      for (const batch of traffic.retries) batch.at = 0;
    },
    async stop() {
      traffic.isStopped = true;
      timer.stop();
      asking?.abort();
      endTurn?.();
      looked();
      while (traffic.running > 0 || isPumping) await changed();
    },
  };
}

function isAlive({ parcels }: Batch): boolean {
  return parcels.some(({ state }) => state !== 'ended');
}
