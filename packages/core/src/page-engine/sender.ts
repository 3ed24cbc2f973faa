import { BATCH_OVERHEAD_BYTES, type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Fate } from '../base/fate.ts';
import type { Settings } from '../options/settings.ts';
import { probeMs } from '../pace/wait-times.ts';
import { type Rule, ruleOf } from '../send/delivery-policy.ts';
import type { Outcome } from '../send/http/transport.ts';
import { requestFailed } from '../send/request-failed.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { TrackerStats } from '../tell/stats.ts';
import { type Batch, type Blame, batchOf, countOf } from './blame.ts';
import type { Gate } from './gate.ts';
import type { Keeper } from './keeper.ts';
import type { Parcel } from './parcel.ts';
import type { Parcels } from './parcels.ts';
import type { Requests } from './requests.ts';
import type { Tabs } from './tabs.ts';

/** A page that was left may see the answer to a request for so long. */
const LEASE_MS = 30_000;
const REQUESTS = 4;
const TURN_MS = 10_000;
const MOST_WAIT_MS = 1_000;
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };
const PROBES = 3;
const WRONG_PROBES = 10;

interface SenderOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly tabs: Tabs;
  readonly gate: Gate;
  readonly blame: Blame;
  readonly requests: Requests;
  readonly reporter: Reporter;
  readonly books: Books;
  readonly refresh: () => Promise<void>;
  readonly end: (parcel: Parcel, fate: Fate) => void;
  readonly keepLetter: (parcel: Parcel, status: number, words: string) => void;
}

export interface Sender {
  readonly suspects: TrackerStats['suspects'];
  /** Looks for what is due. */
  wake(): void;
  /** Until the returned function is called, what waits is due at once. */
  hurry(): () => void;
  /** Whether something may happen before this time. */
  isUseful(until: number): boolean;
  /** Calls back after each look, until the returned function is called. */
  watch(look: () => void): () => void;
  /** Begins the last requests of a page that is hidden, or left. Returns whether more waits. */
  leave(isLeft: boolean): boolean;
  /** Consent is denied: nothing is sent again. */
  deny(): void;
  /** Gives the turn to other pages. */
  rest(): void;
  /** What waits for its retry is due at once. */
  hurryRetries(): void;
  stop(): void;
}

/** Sends what is due, in the one page that has the turn. */
export function createSender(options: SenderOptions): Sender {
  const { settings, clock, random, parcels, keeper, tabs, gate, blame, requests, reporter, books } = options;
  const { refresh, end, keepLetter } = options;
  const { batch: sizes, delivery } = settings;
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const leaseMs = Math.max(LEASE_MS, settings.advanced.headersTimeoutMs);
  const limit = Math.min(REQUESTS, delivery.maxConcurrency);
  const timer = new Alarm(clock, wake);
  let mostBytes = sizes.maxBytes;
  let retries: Batch[] = [];
  let running = 0;
  let urgent = 0;
  let isPumping = false;
  let isWoken = false;
  let asking: AbortController | undefined;
  /** Ends this page's turn. */
  let endTurn: (() => void) | undefined;
  let turnUntil = 0;
  let isStopped = false;
  /** How often the page was left. */
  let departures = 0;
  /** Of the requests before it, the answers may be about another key. */
  let keys = 0;
  /** How often consent was denied. */
  let denials = 0;
  const watching = new Set<() => void>();

  const dueAt = ({ at, isHigh, page }: Parcel) =>
    urgent > 0 || isHigh || page !== parcels.own ? 0 : at + sizes.maxWaitMs;

  function mayStart(): boolean {
    if (isStopped || gate.state === 'open') return false;
    return running < (gate.state === 'closed' ? limit : 1);
  }

  function nextFresh(): [Parcel[], number] {
    return parcels.next(
      { maxEvents: sizes.maxEvents, maxBytes: mostBytes },
      keeper.isSafe,
      dueAt,
      clock.now(),
    );
  }

  /** When something is due; now, if something new is worth a probe. */
  function nextAt(): number {
    const [fresh, at] = nextFresh();
    const isProbe = gate.state === 'half-open';
    return Math.min(isProbe && fresh.length > 0 ? 0 : at, ...retries.map((batch) => batch.at));
  }

  function wake(): void {
    isWoken = true;
    if (!isPumping && !isStopped && !keeper.isLeft) void pump();
  }

  async function pump(): Promise<void> {
    isPumping = true;
    while (isWoken) {
      isWoken = false;
      timer.cancel();
      if (endTurn) while (clock.now() < turnUntil && mayStart() && (await startNext()));
      const waitMs = nextAt() - clock.now();
      const isDue = waitMs <= 0 && mayStart();
      if (running === 0 && endTurn && (!isDue || clock.now() >= turnUntil)) endTurn();
      if (isDue && !endTurn && !asking) void ask();
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY && !isStopped) timer.set(waitMs);
    }
    isPumping = false;
    for (const look of watching) look();
  }

  async function ask(): Promise<void> {
    asking = new AbortController();
    const work = async () => {
      await refresh().catch(reporter.storageFailed);
      const isOver = new Promise<void>((resolve) => {
        endTurn = resolve;
      });
      turnUntil = clock.now() + TURN_MS;
      wake();
      await isOver;
      endTurn = undefined;
    };
    await (keeper.survives ? tabs.alone(work, asking.signal) : work()).catch(() => undefined);
    asking = undefined;
    wake();
  }

  /** Returns false if nothing is due. */
  async function startNext(): Promise<boolean> {
    const now = clock.now();
    const isProbe = gate.state === 'half-open';
    const due = retries.filter(({ at }) => at <= now);
    let [batch] = isProbe ? [] : due;
    if (!batch) {
      const [fresh, at] = nextFresh();
      if (fresh.length > 0 && (isProbe || at <= now)) batch = await fetchFresh(fresh, isProbe);
      else [batch] = due.sort((one, other) => one.failures - other.failures);
    }
    if (!batch) return false;
    retries = retries.filter((other) => other !== batch);
    batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
    if (batch.parcels.length > 0) void deliver(batch);
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
    take(taken);
    try {
      await keeper.load(taken);
    } catch (error) {
      for (const parcel of taken) parcel.state = 'waiting';
      reporter.storageFailed(error);
      return undefined;
    }
    const [first] = taken;
    if (!isProbe || !first || first.count < 2 || first.state === 'ended') return batchOf(taken);
    // A probe is one event.
    const [one, others] = cut(first, 1);
    if (others) others.state = 'waiting';
    return one && batchOf([one]);
  }

  function cut(parcel: Parcel, count: number): Parcel[] {
    keeper.remove(parcel);
    const parts = parcels.cut(parcel, count);
    tabs.tell(['cut', parcel.id, parts.map(({ key }) => key)]);
    void keeper.commit();
    return parts;
  }

  async function deliver(batch: Batch, outlives = false): Promise<void> {
    const before = { departures, denials, keys };
    const leasedUntil = clock.now() + leaseMs;
    running += 1;
    if (!outlives && blame.inARow === 0) {
      keeper.lease(batch.parcels, leaseMs);
      void keeper.commit();
    }
    blame.sent(batch);
    try {
      const texts = batch.parcels.flatMap(({ texts }) => texts ?? []);
      const outcome = await requests.post(texts, batch.sent > 1, outlives);
      batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
      // The browser goes on with requests of a page that is left, though they seem to fail.
      const isGoingOn = outcome.kind === 'failed' && (before.departures < departures || keeper.isLeft);
      if (!isStopped || outcome.kind === 'answered')
        handle(batch, outcome, before, isGoingOn ? leasedUntil : 0);
    } finally {
      running -= 1;
      wake();
    }
  }

  function handle(
    batch: Batch,
    outcome: Outcome,
    before: { readonly denials: number; readonly keys: number },
    leasedUntil: number,
  ): void {
    const rule = ruleOf(outcome, delivery.policy);
    const now = clock.now();
    if (rule.action === 'accept') {
      if (gate.accepted()) for (const other of retries) if (!other.isAlone) other.at = now;
      blame.accepted(batch, now);
      keeper.answered();
      mostBytes = Math.ceil(mostBytes * 1.02);
      for (const parcel of batch.parcels) end(parcel, 'delivered');
      return;
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt = '', retryAfterMs, status = 0 } = error;
    reporter.requestFailed(error);
    if (before.denials < denials) {
      for (const parcel of batch.parcels) end(parcel, 'denied');
      return;
    }
    if (leasedUntil > 0) return void retry(batch, leasedUntil - now);
    keeper.endLease(batch.parcels);
    batch.status = status;
    batch.words = excerpt;
    if (rule.isAmbiguous) books.maybeDuplicate += countOf(batch);
    if (rule.isPushback && retryAfterMs) {
      gate.asked(retryAfterMs, batch);
      return void retry(batch, 0);
    }
    if (rule.action === 'pause' && before.keys < keys) return void retry(batch, 0);
    failed(batch, rule, now);
  }

  function failed(batch: Batch, rule: Rule, now: number): void {
    const { action, reason } = rule;
    const { parcels: all, status, whole, words } = batch;
    const isDenial = action === 'pause';
    const isWrong = action === 'isolate' || action === 'split';
    const why = { reason, status, words };
    if (!isDenial && action !== 'retry') batch.isRefused = true;
    if (gate.state !== 'closed' && !batch.isAlone) {
      gate.probeFailed(why);
      return void again(batch);
    }
    const isDoubt = blame.failed(batch, isWrong, action === 'retry', now);
    if (isDenial && (rule.isAskedFor || !(blame.isKnown || rule.endsEvent))) {
      again(batch);
      return void gate.hold(why);
    }
    if (isDoubt || (isDenial && !blame.isKnown)) {
      gate.doubt(isWrong ? WRONG_PROBES : PROBES);
      return void again(batch);
    }
    switch (blame.verdict(rule, batch, now)) {
      case 'drop':
        for (const parcel of all) end(parcel, 'refused');
        return;
      case 'shrink':
        mostBytes = Math.min(mostBytes, Math.ceil(bytesOf(all) / 2));
        return void halve(batch);
      case 'halve':
        return void halve(batch);
      case 'end':
        whole.isAccepted = true;
        for (const parcel of all) keepLetter(parcel, status, words);
        return;
      case 'suspect':
        if (!batch.isAlone) batch.failures = 0;
        batch.isAlone = true;
    }
    again(batch, isDenial);
  }

  /** Halves are sent at once: a request of several parcels becomes two with fewer, one parcel becomes two. */
  function halve({ parcels: all, whole }: Batch): void {
    const [first] = all;
    const middle = Math.ceil(all.length / 2);
    const halves =
      all.length > 1 || !first
        ? [all.slice(0, middle), all.slice(middle)]
        : cut(first, Math.ceil(first.count / 2)).map((part) => [part]);
    for (const half of halves) retries.push(batchOf(half, whole));
  }

  function again(batch: Batch, isDenial = false): void {
    const { failures, isAlone, whole } = batch;
    const spread = () => 1 + random() / 2;
    let waitMs = probeMs(Math.max(failures - 1, blame.inARow - 1, 0), backoff, random);
    if (isAlone) waitMs = backoffDelayMs(failures, SUSPECT, spread);
    else if (isDenial) waitMs = backoffDelayMs(failures - 1, DENIED, spread);
    else if (whole.isAccepted) waitMs = Math.min(waitMs, MOST_WAIT_MS * random());
    retry(batch, waitMs);
  }

  function retry(batch: Batch, waitMs: number): void {
    batch.at = clock.now() + waitMs;
    retries.push(batch);
  }

  return {
    wake,
    get suspects() {
      return retries
        .filter(({ isAlone }) => isAlone)
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
      if (running > 0 || isPumping || asking) return true;
      const { pause, state } = gate;
      return (state === 'open' && pause ? pause.until : nextAt()) < until;
    },
    leave(isLeft) {
      const last: Batch[] = [];
      const isShared = !isLeft && !endTurn && keeper.survives;
      const isOwn = ({ isStored, isWriting, page, texts }: Parcel) =>
        !!texts && page === parcels.own && !(isShared && (isStored || isWriting));
      for (let { room } = requests; gate.state === 'closed' && blame.inARow === 0 && !isStopped; ) {
        const maxBytes = Math.min(mostBytes, room);
        const [taken] = parcels.next({ ...sizes, maxBytes }, isOwn, dueAt, clock.now());
        const bytes = bytesOf(taken);
        if (taken.length === 0 || bytes > room) break;
        room -= bytes + BATCH_OVERHEAD_BYTES;
        take(taken);
        keeper.lease(taken, leaseMs);
        last.push(batchOf(taken));
      }
      void keeper.commit();
      for (const batch of last) void deliver(batch, true);
      if (isLeft) departures += 1;
      const others = parcels.count(({ leasedUntil, session }) => !session && leasedUntil <= clock.now());
      return others > last.reduce((total, batch) => total + countOf(batch), 0);
    },
    deny() {
      denials += 1;
      for (const batch of retries) for (const parcel of batch.parcels) parcel.state = 'waiting';
      retries = [];
    },
    rest() {
      asking?.abort();
      endTurn?.();
    },
    watch(look: () => void): () => void {
      watching.add(look);
      return () => watching.delete(look);
    },
    hurryRetries(): void {
      keys += 1;
      for (const batch of retries) batch.at = 0;
    },
    stop(): void {
      isStopped = true;
      timer.stop();
      asking?.abort();
      endTurn?.();
    },
  };
}

function bytesOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((total, { bytes }) => total + bytes, 0);
}
