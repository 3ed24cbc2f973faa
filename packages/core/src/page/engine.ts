// biome-ignore-all assist/source/organizeImports: gzip looks back 32 KiB, and finds more that is alike in this order.
import { databaseName } from '../keep/account.ts';
import { Books } from '../tell/books.ts';
import { checkSize, type EventTexts } from '../accept/event-text.ts';
import { createLetters } from './keep/letters.ts';
import { ConfigError } from '@sluice/protocol';
import { createIdentity } from './identity.ts';
import { registerSync } from './background-sync.ts';
import { createKeeper } from './keep/keeper.ts';
import { RateMeter } from '../tell/rate-meter.ts';
import { createRequests } from './send/requests.ts';
import { byteLength, Parcels, statsOf, strictOrder } from './keep/parcels.ts';
import { guardCallbacks } from '../options/callbacks.ts';
import { createReporter } from '../tell/reporter.ts';
import { createRelay, type RelayAddress } from './send/relay.ts';
import { createTabs } from './keep/tabs.ts';
import { createLimits } from '../send/limits.ts';
import { createBreaker } from '../pace/breaker.ts';
import { createSender } from './send/sender.ts';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import { createSharing } from './sharing.ts';
import { isHidden, type Meeting } from './store/origin.ts';
import { pagePartsOf } from './parts.ts';
import { systemClock } from '@sluice/protocol/toolbox';
import { consoleWarnings } from '../tell/console-log.ts';
import { PARCELS, type Parcel } from './keep/parcel.ts';
import { createConsent } from './consent.ts';
import { DENIED } from './store/indexeddb-store.ts';
import { listenToPage } from './leaving.ts';
import type { DropReason, Fate } from '../base/fate.ts';
import type { Engine } from '../engine.ts';
import type { Settings } from '../options/settings.ts';
import type { TrackerStats } from '../tell/stats.ts';

/** Makes the stages of a page's tracker, and leads events from one to the next. */
export function createEngine(
  settings: Settings,
  texts: EventTexts,
  flush: () => Promise<unknown>,
  address: RelayAddress | undefined,
  meet: Meeting,
): Engine {
  // It would be ignored: a page keeps records of its own.
  if (typeof settings.journal === 'object')
    throw new ConfigError('journal', 'journal must be "memory" in a page');
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
  let isShut = false;
  const ended = new AbortController();
  const { signal } = ended;
  const requests = createRequests({ path: address?.path, settings, clock, hooked, reporter, signal });
  const limits = parts.learn?.(reporter, settings.batch) ?? createLimits(settings.batch);
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
    isGranted,
    end,
    makeRoom: () => bounds?.makeRoom(),
    onChange(isNew) {
      rates.sample(books, clock.now());
      if (isNew) tabs.tell(['waits']);
      wake();
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
  const gate = createBreaker(clock, random, backoff, reporter, isHidden, (state) => {
    if (state === 'open') registerSync();
    if (state !== 'half-open') sharing.share();
    wake();
  });
  const relay = address && createRelay(address, clock, wake);
  const sender = createSender({
    ...{ ...stages, relay, random, tabs, gate, requests, books, bounds, limits },
    ...{ offset: texts.offset, rejected: relay ? relay.refused : hooked.rejected },
  });
  const oldestAt = () => clock.now() - settings.unidentified.maxAgeMs;
  function end(parcel: Parcel, fate: Fate, isCounted = true): void {
    if (!parcels.end(parcel, isCounted ? fate : undefined)) return;
    tabs.tell(['ended', parcel.id, fate]);
    keeper.commitSoon();
  }

  function cut(parcel: Parcel, count: number): Parcel[] {
    const parts = parcels.cut(parcel, count);
    tabs.tell(['ended', parcel.id, undefined, parts.map(({ key }) => key)]);
    keeper.commitSoon();
    return parts;
  }

  const identity = createIdentity({
    ...{ parcels, keeper, texts, end, oldestAt, tell: tabs.tell },
    isGranted,
    granted: () => consent.granted(),
    onFailed: reporter.storageFailed,
    onChange: goOn,
  });
  const sharing = createSharing({
    ...{ gate, identity, sender, parcels, keeper, letters, clock, books, reporter },
    ...{ name, end, oldestAt, hold, isOnce: settings.leaving === 'once' },
    isDenied: () => consent.current === 'denied',
  });
  const consent = createConsent({
    account,
    mark: (isDenied) => keeper.put(DENIED, isDenied ? 0 : undefined),
    isStored: !settings.journal,
    wanted: settings.consent,
    signal,
    onStart() {
      tabs.open();
      reporter.journal(keeper.kind);
      sharing.look();
      if (hold) identity.read();
    },
    onGranted: goOn,
    onDenied: () => sharing.look(),
  });
  consent.open();
  listenToPage({ gate, hold, identity, keeper, isGranted, parcels, sender, tabs }, signal);

  /** More may be stored and sent. */
  function goOn(): void {
    void keeper.commit();
    wake();
  }

  function retryNow(): void {
    if (signal.aborted) return;
    sender.hurryRetries();
    gate.resume();
    wake();
  }

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
    take(text, at, isHigh, isUnidentified, owner) {
      checkSize(text, settings.maxEventBytes, byteLength);
      books.accepted += 1;
      const session = isUnidentified ? identity.session : '';
      const customer = isNamed && !session ? owner : '';
      let reason: DropReason | undefined;
      if (isShut) reason = 'closed';
      else if (consent.current === 'denied') reason = 'denied';
      else if (isUnidentified && parcels.heldBytes + text.length > maxBytes) reason = 'journal-full';
      else if (!parcels.push(text, at, { isHigh, session, customer })) reason = 'buffer-full';
      if (reason) return reporter.settled(reason, 1);
      keeper.notify(isHigh);
      hooked.handOver?.notify();
    },
    shut() {
      isShut = true;
    },
    identify: identity.identify,
    drainInBackground: () => false,
    setConsent: consent.set,
    setApiKey(key: string): void {
      if (requests.setApiKey(key)) retryNow();
    },
    retryNow,
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
    async settleAll({ at, wait }) {
      // Nothing can be delivered in no time.
      const calm = at > clock.now() ? sender.hurry() : undefined;
      // What another page has in a request, and may be left, is that page's.
      const isOthers = ({ leasedUntil, page }: Parcel) => page !== parcels.own && leasedUntil > clock.now();
      const work = async () => {
        const written = keeper.commitAll();
        await sharing.settled();
        const epoch = parcels.mark();
        const isOver = () => parcels.count((parcel) => parcel.epoch <= epoch && !isOthers(parcel)) === 0;
        await written;
        if (isGranted()) await identity.settled();
        await keeper.commitAll();
        wake();
        while (!isOver() && sender.isUseful(at)) await sender.changed();
      };
      await wait(work());
      calm?.();
    },
    async close(): Promise<void> {
      const stopping = sender.stop();
      ended.abort();
      await Promise.all([stopping, sharing.settled()]);
      await keeper.commitAll();
      sharing.stop();
      bounds?.stop();
      gate.stop();
      tabs.close();
      await keeper.close();
      await requests.close().catch(reporter.storageFailed);
    },
    giveUp() {
      for (const parcel of [...parcels.all.values()]) if (!parcel.isStored) parcels.end(parcel, 'closed');
    },
  };
}
