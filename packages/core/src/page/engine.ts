// biome-ignore-all assist/source/organizeImports: gzip looks back 32 KiB, and finds more that is alike in this order.
import { registerSync } from './background-sync.ts';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import { UNIDENTIFIED } from '../accept/unidentified.ts';
import { createLetters } from './keep/letters.ts';
import { createLimits } from '../send/limits.ts';
import { Books } from '../tell/books.ts';
import { createIdentity } from './identity.ts';
import { createParcels, strictOrder } from './keep/parcels.ts';
import { isHidden, type Meeting } from './store/origin.ts';
import { databaseName } from '../keep/account.ts';
import { createTabs } from './keep/tabs.ts';
import { createKeeper } from './keep/keeper.ts';
import { ConfigError } from '@sluice/protocol';
import { checkSize, type EventTexts } from '../accept/event-text.ts';
import { createRelay, type RelayAddress } from './send/relay.ts';
import { redactor } from '@sluice/protocol/toolbox';
import { createFetch } from './send/fetch.ts';
import { guardCallbacks } from '../options/callbacks.ts';
import { createSharing } from './sharing.ts';
import { byteLength, PARCELS, type Parcel } from './keep/parcel.ts';
import { createRequests } from '../send/requests.ts';
import { createBreaker } from '../pace/breaker.ts';
import { DENIED } from './store/indexeddb-store.ts';
import { createSender } from './send/sender.ts';
import { createConsent } from './consent.ts';
import { listenToPage } from './leaving.ts';
import type { Engine } from '../tracker.ts';
import type { PageParts } from './parts.ts';
import type { TrackerStats } from '../tell/stats.ts';
import type { Settings } from '../options/settings.ts';
import type { DropReason } from '../base/fate.ts';

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
  const { clock, random, delivery } = settings;
  const account = { ...settings, ...(address && { destination: address }) };
  const name = databaseName(account, PARCELS);
  const books = new Books();
  const parts: PageParts = settings.parts as object;
  const isStrict = settings.ordering === 'strict';
  const isNamed = address !== undefined || settings.isOrdered;
  books.sample(clock.now());
  const redact = (text: string) => requests.redact(text);
  const hooked = guardCallbacks(settings, books, redact, flush);
  const { reporter } = hooked;
  let isShut = false;
  const ended = new AbortController();
  const { signal } = ended;
  const { transport = createFetch(delivery.credentials) } = hooked;
  const requests = createRequests({
    ...{ path: address?.path, settings, clock, hooked, transport, reporter, redactor, signal },
  });
  const limits = parts.learn?.(reporter, settings.batch) ?? createLimits(settings.batch);
  const parcels = createParcels({
    ...{ settings, clock, reporter },
    order: isStrict ? strictOrder : (settings.isOrdered || undefined) && parts.perCustomer?.order,
    ended(...parcel) {
      tabs.tell(['ended', ...parcel]);
      keeper.commitSoon();
    },
  });
  const consent = createConsent({
    account,
    mark: (isDenied) => keeper.put(DENIED, isDenied ? 0 : undefined),
    settings,
    signal,
    start() {
      tabs.open();
      reporter.journal(keeper.kind);
      sharing.look();
      identity.look();
    },
    onChange() {
      if (consent.isGranted) void keeper.commit();
      else sharing.look();
    },
  });
  const keeper = createKeeper({
    ...{ name, settings, parcels, clock, random, reporter, consent },
    makeRoom: () => bounds?.makeRoom(),
    onChange(isNew) {
      books.sample(clock.now());
      if (isNew) tabs.tell(['waits']);
      wake();
    },
  });
  const letters = createLetters(settings.deadLetters, clock, keeper, reporter);
  const wake = () => sender.wake();
  const stages = {
    ...{ settings, clock, parcels, keeper, letters, reporter, books, consent, name },
    list: () => sharing.list(),
  };
  const bounds = parts.bounds?.({ ...stages, wake });
  const deadLetters = parts.deadLetters?.({ ...stages, bounds, signal, wake });
  const tabs = createTabs({
    ...{ ...meet, name, clock, stored: keeper.lock },
    hear: (message) => sharing.hear(message),
    onFailed: (error) => reporter.storageFailed(storageError('Web Locks fail', error)),
  });
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const gate = createBreaker(clock, random, backoff, reporter, isHidden, (state) => {
    if (state === 'open') registerSync();
    if (state !== 'half-open') sharing.share();
    wake();
  });
  const relay = address && createRelay(address, clock, wake, reporter);
  const sender = createSender({
    ...{ ...stages, relay, random, tabs, gate, requests, transport, bounds, limits },
    ...{ offset: texts.offset, rejected: relay ? relay.refused : hooked.rejected },
  });
  const identity = createIdentity({
    ...{ ...stages, texts, tell: tabs.tell },
    onFailed: reporter.storageFailed,
  });
  const more = { ...stages, gate, identity, sender, tabs };
  const sharing = createSharing(more);
  consent.open();
  listenToPage(more, sharing.look, signal);

  function retryNow(): void {
    sender.retry();
    gate.resume();
    relay?.retry.cancel();
    wake();
  }

  function stats(): TrackerStats {
    const now = clock.now();
    const pending = parcels.count(() => true);
    const oldestAt = parcels.list().reduce((oldest, { at }) => Math.min(oldest, at), now);
    return {
      ...books,
      dropped: { ...books.dropped },
      pending,
      unwritten: parcels.count(({ isStored }) => !isStored),
      held: parcels.count(({ session }) => session),
      stored: parcels.count(({ texts }) => !texts),
      inFlight: parcels.count(({ state }) => state === 'out'),
      memoryBytes: parcels.bytes,
      journalBytes: parcels.bytesOf(({ isStored }) => isStored),
      oldestAgeMs: pending > 0 ? now - oldestAt : undefined,
      deadLetters: letters.stats,
      journal: keeper.kind,
      breaker: gate.state,
      pause: gate.pause,
      suspects: sender.suspects,
      ...limits.stats,
      requests: requests.stats,
      rates: books.rates(now),
      lastError: reporter.lastError,
    };
  }

  return {
    clock,
    reporter,
    hooked,
    stats,
    deadLetters,
    isGranted: () => consent.isGranted,
    take(text, at, isHigh, owner) {
      checkSize(text, settings.maxEventBytes, byteLength);
      books.accepted += 1;
      const session = owner === UNIDENTIFIED ? identity.session : '';
      const customer = isNamed ? owner : '';
      let reason: DropReason | undefined;
      if (isShut) reason = 'closed';
      else if (consent.current === 'denied') reason = 'denied';
      else if (
        session &&
        parcels.bytesOf(({ session }) => session) + text.length > settings.unidentified.maxBytes
      )
        reason = 'journal-full';
      else if (!parcels.push(text, at, { isHigh, session, customer })) reason = 'buffer-full';
      if (reason) return reporter.settled(reason, 1);
      keeper.notify(isHigh);
      hooked.waitUntil?.notify();
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
      const before = parcels.list();
      await identity.settled();
      await keeper.commitAll();
      const isStored = () =>
        keeper.survives && before.every(({ isStored, state }) => isStored || state === 'ended');
      const what = 'events are not durable';
      if (isStored())
        await keeper.sync().catch((cause) => {
          throw storageError(what, cause);
        });
      // Storage may have been cleared meanwhile.
      if (isStored()) return;
      const failure = consent.isGranted ? reporter.lastError?.message : 'consent is pending';
      throw new StorageError(`${what}: ${keeper.survives ? failure : 'the journal is in memory'}`);
    },
    async settle({ at, wait }) {
      // Nothing can be delivered in no time.
      const calm = at > clock.now() ? sender.hurry() : undefined;
      // Events that another page has in a request do not count.
      const isOthers = ({ leasedUntil, page }: Parcel) => page !== parcels.own && leasedUntil > clock.now();
      const work = async () => {
        const written = keeper.commitAll();
        await sharing.settled();
        const epoch = parcels.mark();
        const isOver = () => parcels.count((parcel) => parcel.epoch <= epoch && !isOthers(parcel)) === 0;
        await written;
        await identity.settled();
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
      await hooked.transport?.close().catch(reporter.storageFailed);
    },
    giveUp() {
      parcels.endAll('closed', ({ isStored }) => !isStored);
    },
  };
}
