import { createConsent } from './consent.ts';
import { type Deadline, settle } from './deadline.ts';
import { createIdentity } from './identity.ts';
import { createKeeper } from './keep/keeper.ts';
import { createLetters } from './keep/letters.ts';
import { PARCELS, type Parcel } from './keep/parcel.ts';
import { Parcels, statsOf, strictOrder } from './keep/parcels.ts';
import { createTabs } from './keep/tabs.ts';
import { listenToPage } from './leaving.ts';
import { pagePartsOf } from './parts.ts';
import { createBlame } from './send/blame.ts';
import { createGate } from './send/gate.ts';
import { createLimits } from './send/limits.ts';
import { createRelay, type RelayAddress } from './send/relay.ts';
import { createRequests } from './send/requests.ts';
import { createSender } from './send/sender.ts';
import { createSharing } from './sharing.ts';

// Those come first: gzip looks back 32 KiB, and finds more that is alike in this order.

import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import type { EventTexts } from '../accept/event-text.ts';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { DropReason, Fate } from '../base/fate.ts';
import { databaseName } from '../keep/account.ts';
import { type Guarded, guardCallbacks } from '../options/callbacks.ts';
import type { Consent } from '../options/options.ts';
import type { Settings } from '../options/settings.ts';
import type { DeadLetters } from '../parts/dead-letters/dead-letters.ts';
import { Books } from '../tell/books.ts';
import { consoleWarnings } from '../tell/console-log.ts';
import { RateMeter } from '../tell/rate-meter.ts';
import { createReporter, type Reporter } from '../tell/reporter.ts';
import type { TrackerStats } from '../tell/stats.ts';
import { registerSync } from './background-sync.ts';
import type { Meeting } from './store/origin.ts';

export interface Engine {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly hooked: Pick<Guarded, 'prepare' | 'handOver'>;
  isGranted(): boolean;
  stats(): TrackerStats;
  readonly deadLetters: DeadLetters | undefined;
  /** Returns false if there is no room for it, or no consent. */
  accept(text: string, at: number, isHigh: boolean, isUnidentified: boolean, customer: string): boolean;
  drop(reason: DropReason): void;
  identify(customer: string | undefined): void;
  setConsent(consent: Consent): void;
  setApiKey(key: string): void;
  retryNow(): void;
  durable(): Promise<void>;
  /** Waits until what was tracked has ended, as long as that is of use. */
  settleAll(deadline: Deadline): Promise<void>;
  close(): Promise<void>;
  /** Drops what is not stored. */
  giveUp(): void;
}

/** Makes the stages of a page's tracker, and leads events from one to the next. */
export function createEngine(
  settings: Settings,
  texts: EventTexts,
  flush: () => Promise<unknown>,
  address: RelayAddress | undefined,
  meet: Meeting,
): Engine {
  const { clock = systemClock, random = Math.random, delivery } = settings;
  const account = { ...settings, ...(address && { destination: address }) };
  const name = databaseName(account, PARCELS);
  const books = new Books();
  const rates = new RateMeter();
  const parts = pagePartsOf(settings);
  const isStrict = settings.ordering === 'strict';
  const isNamed = address !== undefined || settings.isOrdered;
  rates.sample(books, clock.now());
  const isGranted = () => consent.current === 'granted';
  const redact = (text: string) => requests.redact(text);
  const hooked = guardCallbacks({
    ...{ settings, clock, redact, flush },
    tracked: () => books.accepted,
    onFailed: (callback, error) => reporter.callbackFailed(callback, error),
  });
  const warnings = hooked.log ?? (settings.logger !== false && consoleWarnings(redact));
  const tells = [warnings, hooked.steps].filter((tell) => !!tell);
  const reporter = createReporter({ books, clock, tells });
  const { hold, maxBytes } = settings.unidentified;
  const ended = new AbortController();
  const { signal } = ended;
  const requests = createRequests({ path: address?.path, settings, clock, hooked, reporter, signal });
  const limits = parts.learn?.(reporter) ?? createLimits();
  const parcels = new Parcels(
    clock.now(),
    settings.buffer,
    settings.batch.maxEvents,
    isStrict ? strictOrder : (settings.isOrdered || undefined) && parts.perCustomer?.order,
    reporter.settled,
  );
  const keeper = createKeeper({
    ...{ name, isInMemory: settings.journal === 'memory' },
    ...{ parcels, clock, random, reporter },
    commitIntervalMs: settings.commitIntervalMs,
    isOnce: settings.leaving === 'once',
    books,
    isGranted,
    end,
    makeRoom: () => bounds?.makeRoom(),
    onChange(isNew) {
      rates.sample(books, clock.now());
      if (isNew) tabs.tell(['waits']);
      sender.wake();
    },
  });
  const letters = createLetters({ limits: settings.deadLetters, clock, keeper, reporter });
  const wake = () => sender.wake();
  const stages = {
    settings,
    clock,
    parcels,
    keeper,
    letters,
    reporter,
    end,
    cut,
    refresh: () => sharing.refresh(),
  };
  const bounds = parts.bounds?.({ ...stages, wake });
  const deadLetters = parts.deadLetters?.({ ...stages, bounds, signal, wake });
  const tabs = createTabs({
    ...{ name, meeting: meet, clock, stored: keeper.lock },
    onMessage: (message) => sharing.hear(message),
    onFailed: (error) =>
      reporter.storageFailed(storageError('cannot use Web Locks, so IndexedDB is used', error)),
  });
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const gate = createGate(clock, random, backoff, reporter, (state) => {
    if (state === 'open') registerSync();
    if (state !== 'half-open') sharing.share();
    sender.wake();
  });
  const blame = createBlame();
  const relay = address && createRelay(address, clock, wake);
  const sender = createSender({
    ...{ ...stages, relay, random, tabs, gate, blame, requests, books, bounds, limits },
    ...{ offset: texts.offset, rejected: hooked.rejected },
  });
  const oldestAt = () => clock.now() - settings.unidentified.maxAgeMs;
  const sharing = createSharing(
    {
      ...{ parcels, keeper, letters, clock, reporter, end, oldestAt, hold },
      isDenied: () => consent.current === 'denied',
    },
    () => ({ gate, identity, sender }),
  );

  function end(parcel: Parcel, fate: Fate, isCounted = true): void {
    keeper.remove(parcel);
    if (!parcels.end(parcel, isCounted ? fate : undefined)) return;
    tabs.tell(['ended', parcel.id, fate]);
    keeper.commitSoon();
  }

  function cut(parcel: Parcel, count: number): Parcel[] {
    keeper.remove(parcel);
    const parts = parcels.cut(parcel, count);
    tabs.tell(['cut', parcel.id, parts.map(({ key }) => key)]);
    keeper.commitSoon();
    return parts;
  }

  const identity = createIdentity({
    ...{ parcels, keeper, texts, end, oldestAt, tell: tabs.tell },
    isGranted,
    granted: () => consent.granted(),
    onFailed: reporter.storageFailed,
    onChange() {
      void keeper.commit();
      sender.wake();
    },
  });
  const consent = createConsent({
    account,
    mark: keeper.markDenied,
    isStored: !settings.journal,
    wanted: settings.consent,
    signal,
    onStart() {
      tabs.open();
      reporter.journal(keeper.kind);
      void sharing.open();
      if (hold) identity.read();
    },
    onGranted() {
      void keeper.commit();
      sender.wake();
    },
    onDenied: () => sharing.purge(),
  });
  consent.open();
  listenToPage({ gate, hold, identity, keeper, isGranted, parcels, sender, tabs }, signal);

  function stats(): TrackerStats {
    return {
      ...books,
      dropped: { ...books.dropped },
      ...statsOf(parcels, clock.now()),
      deadLetters: letters.stats,
      journal: keeper.kind,
      breaker: gate.state,
      pause: gate.pause,
      suspects: sender.suspects,
      ...limits.stats,
      requests: requests.stats,
      rates: rates.perSecond(books, clock.now()),
      lastError: reporter.lastError,
    };
  }

  return {
    clock,
    reporter,
    hooked,
    stats,
    deadLetters,
    isGranted,
    accept(text, at, isHigh, isUnidentified, owner) {
      books.accepted += 1;
      const session = isUnidentified ? identity.session : '';
      const customer = isNamed && !session ? owner : '';
      let reason: DropReason | undefined;
      if (consent.current === 'denied') reason = 'denied';
      else if (isUnidentified && parcels.heldBytes + text.length > maxBytes) reason = 'journal-full';
      else if (!parcels.push(text, at, { isHigh, session, customer })) reason = 'buffer-full';
      if (reason) reporter.settled(reason, 1);
      else keeper.notify(isHigh);
      return !reason;
    },
    drop(reason: DropReason): void {
      books.accepted += 1;
      reporter.settled(reason, 1);
    },
    identify: identity.identify,
    setConsent: consent.set,
    setApiKey(key: string): void {
      if (requests.setApiKey(key)) this.retryNow();
    },
    retryNow(): void {
      if (signal.aborted) return;
      sender.hurryRetries();
      gate.resume();
      sender.wake();
    },
    async durable(): Promise<void> {
      parcels.seal();
      const before = [...parcels.all.values()];
      if (isGranted()) await identity.settled();
      await keeper.commitAll();
      const isStored = () =>
        keeper.survives && before.every(({ isStored, state }) => isStored || state === 'ended');
      const what = 'what was tracked is not durable';
      if (isStored())
        await keeper.sync().catch((cause) => {
          throw storageError(what, cause);
        });
      // Storage may have been cleared meanwhile.
      if (isStored()) return;
      const failure = isGranted() ? reporter.lastError?.message : 'consent is pending';
      throw new StorageError(`${what}: ${keeper.survives ? failure : 'the journal is in memory'}`);
    },
    settleAll: (deadline) =>
      settle({ parcels, sender, clock }, deadline, async () => {
        const written = keeper.commitAll();
        await sharing.opened();
        await written;
        if (isGranted()) await identity.settled();
        await keeper.commitAll();
      }),
    async close(): Promise<void> {
      const stopping = sender.stop();
      ended.abort();
      await Promise.all([stopping, sharing.purged()]);
      await keeper.commitAll();
      sharing.stop();
      bounds?.stop();
      gate.stop();
      tabs.close();
      consent.close();
      await keeper.close();
      await requests.close().catch(reporter.storageFailed);
    },
    giveUp() {
      for (const parcel of [...parcels.all.values()]) if (!parcel.isStored) parcels.end(parcel, 'closed');
    },
  };
}
