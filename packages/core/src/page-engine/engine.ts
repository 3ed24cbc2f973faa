import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import type { EventTexts } from '../accept/event-text.ts';
import { Alarm } from '../base/alarm.ts';
import { storageError } from '../base/errors/storage-error.ts';
import type { DropReason, Fate } from '../base/fate.ts';
import { databaseName } from '../keep/page/origin.ts';
import { type Guarded, guardCallbacks } from '../options/callbacks.ts';
import type { Consent } from '../options/options.ts';
import type { Settings } from '../options/settings.ts';
import { registerSync } from '../platform/page/background-sync.ts';
import { Books } from '../tell/books.ts';
import { consoleWarnings } from '../tell/console-log.ts';
import { RateMeter } from '../tell/rate-meter.ts';
import { createReporter, type Reporter } from '../tell/reporter.ts';
import type { TrackerStats } from '../tell/stats.ts';
import { createBlame } from './blame.ts';
import { createGate } from './gate.ts';
import { createKeeper } from './keeper.ts';
import { listenToPage } from './leaving.ts';
import type { Parcel } from './parcel.ts';
import { Parcels } from './parcels.ts';
import { createRequests } from './requests.ts';
import { createSender } from './sender.ts';
import { createTabs, type Message } from './tabs.ts';

const LOOK_MS = 3_000;

export interface Deadline {
  readonly at: number;
  wait(work: Promise<unknown>): Promise<void>;
}

export interface Engine {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly hooked: Pick<Guarded, 'prepare' | 'handOver'>;
  readonly isGranted: boolean;
  stats(): TrackerStats;
  accept(text: string, at: number, isHigh: boolean, isUnidentified: boolean, customer: string): void;
  drop(reason: DropReason): void;
  identify(customer: string | undefined): void;
  setConsent(consent: Consent): void;
  setApiKey(key: string): void;
  retryNow(): void;
  durable(): Promise<void>;
  /** Waits until what was tracked has ended, as long as that is of use. */
  settleAll(deadline: Deadline): Promise<void>;
  close(): Promise<void>;
}

/** Makes the stages of a page's tracker, and leads events from one to the next. */
export function createEngine(settings: Settings, texts: EventTexts, flush: () => Promise<unknown>): Engine {
  const { clock = systemClock, random = Math.random, delivery } = settings;
  const name = databaseName(settings);
  const books = new Books();
  const rates = new RateMeter();
  rates.sample(books, clock.now());
  const redact = (text: string) => requests.redact(text);
  const hooked = guardCallbacks({
    ...{ settings, clock, redact, flush },
    tracked: () => books.accepted,
    onFailed: (callback, error) => reporter.callbackFailed(callback, error),
  });
  const warnings = hooked.log ?? (settings.logger !== false && consoleWarnings(redact));
  const tells = [warnings, hooked.steps].filter((tell) => !!tell);
  const reporter = createReporter({ books, clock, tells });
  const ended = new AbortController();
  const requests = createRequests({ settings, clock, hooked, reporter, signal: ended.signal });
  const parcels = new Parcels(settings.buffer, settings.batch.maxEvents, reporter.settled);
  const keeper = createKeeper({
    ...{ name, isInMemory: settings.journal === 'memory', parcels, clock, random, reporter },
    commitIntervalMs: settings.commitIntervalMs,
    isOnce: settings.leaving === 'once',
    books,
    mayStore: () => true,
    end,
    onChange() {
      rates.sample(books, clock.now());
      tabs.tell(['waits']);
      sender.wake();
    },
  });
  const tabs = createTabs(name, hear);
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const gate = createGate(clock, random, backoff, reporter, (state) => {
    if (state === 'open') registerSync();
    sender.wake();
  });
  const blame = createBlame();
  const sender = createSender({
    ...{ settings, clock, random, parcels, keeper, tabs, gate, blame, requests, reporter, books },
    ...{ refresh, end, keepLetter },
  });
  const looking = new Alarm(clock, () => void look());

  /** Another page told something. */
  function hear(message: Message): void {
    if (message[0] === 'waits') {
      // It may be gone before it sends.
      looking.set(LOOK_MS);
      return;
    }
    const [kind, id, what] = message;
    const parcel = parcels.all.get(id);
    if (!parcel) return;
    if (kind === 'ended') parcels.end(parcel, what);
    else {
      parcels.end(parcel);
      for (const key of what) parcels.found(key);
    }
    sender.wake();
  }

  async function refresh(): Promise<void> {
    const [found, leasedUntil] = await keeper.refresh();
    if (found > 0) reporter.recovered('recovered', found);
    if (leasedUntil < Number.POSITIVE_INFINITY) looking.set(leasedUntil - clock.now());
  }

  function end(parcel: Parcel, fate: Fate): void {
    keeper.remove(parcel);
    if (!parcels.end(parcel, fate)) return;
    tabs.tell(['ended', parcel.id, fate]);
    void keeper.commit();
  }

  function keepLetter(parcel: Parcel, status: number, excerpt: string): void {
    end(parcel, 'deadLettered');
    reporter.emit('deadLettered', { count: 1, status, excerpt });
  }

  tabs.open();
  reporter.journal(keeper.kind);
  const opened = look();

  async function look(): Promise<void> {
    await refresh().catch(reporter.storageFailed);
    sender.wake();
  }

  /** `isSent`: its last requests are made. */
  let isSent = false;
  listenToPage(
    {
      write: () => void keeper.commit(),
      swap() {
        keeper.leave(true);
        tabs.close();
      },
      hide(isSure, isKept) {
        const sendsNothing = isSent || isKept;
        isSent ||= isSure;
        if (isSure) {
          keeper.leave(true);
          tabs.close();
          sender.rest();
        }
        if (sendsNothing) void keeper.commit();
        else if (sender.leave(isSure)) registerSync();
        if (sendsNothing || isSure) return;
        for (const parcel of parcels.all.values()) parcel.isHigh = true;
        sender.wake();
      },
      show(isBack) {
        if (isBack) {
          isSent = false;
          keeper.leave(false);
          tabs.open();
        }
        gate.hint();
        sender.wake();
      },
      online() {
        if (gate.hint()) sender.hurryRetries();
        sender.wake();
      },
      offline: () => gate.doubt(1),
    },
    ended.signal,
  );

  function stats(): TrackerStats {
    const now = clock.now();
    const { pause, state } = gate;
    let oldestAt = Number.POSITIVE_INFINITY;
    for (const { at } of parcels.all.values()) oldestAt = Math.min(oldestAt, at);
    return {
      ...books,
      dropped: { ...books.dropped },
      pending: parcels.count(),
      unwritten: parcels.count(({ isStored }) => !isStored),
      held: parcels.count(({ session }) => session !== ''),
      stored: parcels.count(({ isStored, texts }) => isStored && !texts),
      inFlight: parcels.count(({ state }) => state === 'out'),
      memoryBytes: parcels.bytes,
      journalBytes: 0,
      deadLetters: { kept: 0, bytes: 0 },
      oldestAgeMs: parcels.all.size > 0 ? Math.max(0, now - oldestAt) : undefined,
      journal: keeper.kind,
      breaker: state,
      pause,
      suspects: sender.suspects,
      requests: requests.stats,
      rates: rates.perSecond(books, now),
      lastError: reporter.lastError,
    };
  }

  return {
    clock,
    reporter,
    hooked,
    stats,
    isGranted: true,
    accept(text: string, at: number, isHigh: boolean, _isUnidentified: boolean, _customer: string): void {
      books.accepted += 1;
      if (parcels.push(text, at, { isHigh, session: '', customer: '' })) keeper.notify(isHigh);
      else reporter.settled('buffer-full', 1);
    },
    drop(reason: DropReason): void {
      books.accepted += 1;
      reporter.settled(reason, 1);
    },
    identify(customer: string | undefined): void {
      texts.correlationValue = customer;
    },
    setConsent(_consent: Consent): void {},
    setApiKey(key: string): void {
      if (requests.setApiKey(key)) this.retryNow();
    },
    retryNow(): void {
      sender.hurryRetries();
      gate.resume();
      sender.wake();
    },
    async durable(): Promise<void> {
      await keeper.commitAll();
      if (parcels.count(({ isStored }) => !isStored) > 0 || !keeper.survives)
        throw storageError(
          'what was tracked is not durable',
          keeper.survives ? reporter.lastError : 'in memory',
        );
      await keeper.sync();
    },
    async settleAll({ at, wait }: Deadline): Promise<void> {
      const calm = sender.hurry();
      const work = async () => {
        await opened;
        const { epoch } = parcels;
        parcels.epoch += 1;
        await keeper.commitAll();
        sender.wake();
        const isOver = () =>
          parcels.count((parcel) => parcel.epoch <= epoch && parcel.leasedUntil <= clock.now()) === 0;
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
    },
    async close(): Promise<void> {
      sender.stop();
      ended.abort();
      await keeper.commitAll();
      looking.stop();
      gate.stop();
      tabs.close();
      await keeper.close();
      await requests.close();
      for (const parcel of [...parcels.all.values()]) if (!parcel.isStored) parcels.end(parcel, 'closed');
    },
  };
}
