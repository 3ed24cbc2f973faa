import { platform } from '#platform';
import { checkSize, type EventTexts } from './accept/event-text.ts';
import { UNIDENTIFIED } from './accept/unidentified.ts';
import { StorageError, storageError } from './base/errors/storage-error.ts';
import { rangeLength } from './base/range.ts';
import { attempt } from './base/user-code.ts';
import { createDispatch } from './dispatch.ts';
import { createAdmission, createJournal, createLetters, storageOf } from './journals.ts';
import { guardCallbacks } from './options/callbacks.ts';
import type { Settings } from './options/settings.ts';
import { learn } from './parts/learn/learn.ts';
import { warnOfUsers } from './platform/warn-of-users.ts';
import { Books } from './tell/books.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Engine } from './tracker.ts';
import { Waiting } from './wait/waiting.ts';

/** Builds the stages of a tracker in the order in which events pass them. Handles the lifecycle of the process or app. */
export function createRoad(settings: Settings, texts: EventTexts, flush: () => Promise<unknown>): Engine {
  const books = new Books();
  let opened: Promise<void> = Promise.resolve();
  let isOpened = false;
  let isShut = false;
  /** Whether the process ends. An event tracked now must be written at once, or it is lost. */
  let isLeft = false;
  let isReleasing = false;
  /** Aborted once nothing is delivered any more. */
  const waits = new Set<AbortController>();
  const { clock, random } = settings;
  let { apiKey } = settings;
  const redact = (text: string) => dispatch.redact(text);
  const hooked = guardCallbacks(settings, books, redact, flush, platform.publish);
  const { reporter, transport = platform.createTransport(settings) } = hooked;
  const journal = createJournal(settings);
  const limits = learn(reporter, settings.batch);
  const wake = () => void dispatch.wake();
  const sample = () => books.sample(clock.now());
  const onDue = () => {
    sample();
    wake();
  };
  sample();
  const isOrdered = settings.ordering !== 'unordered';
  const rest = platform.createRest?.({ settings, clock, transport, sender: () => dispatch });
  const waiting = new Waiting({
    settings: { ...settings, storage: storageOf(settings, journal) },
    journal,
    text: platform.text,
    clock,
    random,
    limits,
    opened: () => opened,
    // With an order, what previous processes left goes first.
    isShut: () => admission.isDenied || (isOrdered && !isOpened) || rest?.isOn(waiting),
    onDue,
    onFailed: storageFailed,
    onRecovered: () => reporter.journal(journalKind()),
    reporter,
  });
  const isDenied = () => admission.isDenied;
  const stages = { settings, reporter, journal, waiting, wake, isDenied };
  const { archive: letters, deadLetters } = createLetters(stages);
  const dispatch = createDispatch({
    books,
    hooked,
    letters,
    limits,
    reporter,
    settings,
    sharing: journal.sharing,
    texts,
    transport,
    waiting,
  });
  const admission = createAdmission(stages, letters, {
    enter: ({ text, at, isHigh, customer }) => enter(text, at, isHigh, customer),
    texts,
  });
  const resources = [letters, journal, transport, rest].filter((each) => !!each);
  opened = open();
  const stopListening = platform.lifecycle.listen({
    exit(isFinal) {
      isLeft = isFinal;
      writeNow();
    },
    // Held events come first: this may release some of them.
    hide: () => void admission.write().then(writeAndSend),
    show: dispatch.show,
    online: dispatch.online,
    offline: dispatch.offline,
  });
  // A tracker that does nothing has nothing to write at the end.
  if (settings.enabled === false) stopListening();

  async function open(): Promise<void> {
    reporter.journal(journal.kind);
    try {
      await journal.open({
        recovered(range, at) {
          waiting.recovered(range, at);
          reporter.recovered('recovered', rangeLength(range));
          if (admission.isDenied) void waiting.purge();
          wake();
        },
        damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
        vanished(range) {
          reporter.settled('damaged', waiting.lose(range));
          // What cannot be written now is written once the journal works.
          void waiting.commitAll();
        },
        settled(range, fate) {
          reporter.settled(fate, fate === 'journal-full' ? waiting.evict(range) : waiting.drop(range));
          wake();
        },
        failed: reporter.storageFailed,
      });
    } catch (error) {
      storageFailed(error);
    }
    if (admission.isDenied) admission.purge();
    isOpened = true;
    wake();
  }

  function stats(): TrackerStats {
    const { pending, volatile, stored, inFlight, bytes, oldestAt } = waiting;
    const now = clock.now();
    return {
      ...books,
      dropped: { ...books.dropped },
      pending: pending + admission.pending,
      unwritten: volatile + (journal.unsaved ?? 0) + admission.unwritten,
      held: admission.held,
      stored,
      inFlight,
      memoryBytes: bytes,
      journalBytes: journal.bytes,
      deadLetters: { kept: letters.kept.count, bytes: letters.journal.bytes },
      oldestAgeMs: oldestAt === undefined ? undefined : Math.max(0, now - oldestAt),
      journal: journalKind(),
      ...dispatch.stats,
      rates: books.rates(now),
      lastError: reporter.lastError,
    };
  }

  async function durable(): Promise<void> {
    // Held events come first: this may release some of them, which are written next.
    const isAdmitted = await admission.write();
    const isDone = waiting.mark();
    const isWritten = await waiting.commit.write(isDone);
    if (!(isWritten && isAdmitted && journal.survives)) {
      const failure = waiting.commit.isFailing && reporter.lastError?.message;
      const pending = admission.isOpen(false) ? 'the journal is full' : 'consent is pending';
      const why = journal.survives ? failure || pending : 'the journal is in memory';
      throw new StorageError(`events are not durable: ${why}`);
    }
    try {
      await Promise.all([journal.sync(), admission.sync()]);
    } catch (cause) {
      throw storageError('events are not durable', cause);
    }
    // What the journal lost meanwhile is to be written again.
    if (!isDone()) await durable();
  }

  async function settle(at: number, over: AbortSignal): Promise<void> {
    await opened;
    await admission.write();
    // The tracker may be closed: nothing is written any more.
    if (over.aborted) return;
    const settled = waiting.turn();
    await waiting.commitAll();
    wake();
    await dispatch.whileUseful(settled(over), at);
  }

  /** Writes all events before it returns, if the journal can. Never throws. */
  function writeNow(): void {
    // What is released here is written below.
    if (admission.isDenied || isReleasing) return;
    isReleasing = true;
    attempt(() => admission.leave(), reporter.storageFailed);
    isReleasing = false;
    attempt(() => waiting.commit.writeNow(), reporter.storageFailed);
  }

  async function writeAndSend(): Promise<void> {
    const calm = waiting.hurry();
    await waiting.commitAll();
    await dispatch.wake();
    calm();
  }

  function journalKind(): string {
    return waiting.commit.isFailing ? 'memory' : journal.kind;
  }

  function storageFailed(error: unknown): void {
    reporter.storageFailed(error);
    reporter.journal(journalKind());
  }

  /** Adds an event to the ring buffer. @param accepted 0 if the event is counted as accepted already. */
  function enter(text: string, at: number, isHigh: boolean, customer: string, accepted = 0): void {
    const isTaken = waiting.push(text, at, isHigh, customer);
    books.accepted += accepted;
    if (!isTaken) {
      reporter.settled('buffer-full', 1);
      return;
    }
    // Where order counts, all before it is written and sent with it.
    const isInTurn = isHigh && settings.ordering !== 'unordered';
    if (isLeft) writeNow();
    // Also while the journal opens.
    else waiting.commit.notify(isHigh && !isInTurn);
    if (isInTurn && !isLeft) void opened.then(() => writeAndSend());
    hooked.waitUntil?.notify();
  }

  return {
    clock,
    onAbort: platform.onAbort,
    reporter,
    hooked,
    deadLetters,
    stats,
    isGranted: () => admission.isOpen(false),
    take(text, at, isHigh, customer) {
      const isUnidentified = customer === UNIDENTIFIED;
      checkSize(text, settings.maxEventBytes, platform.text.byteLength);
      if (!isShut && admission.isOpen(isUnidentified)) return enter(text, at, isHigh, customer, 1);
      books.accepted += 1;
      if (isShut) return reporter.settled('closed', 1);
      admission.take({ text, at, isHigh, isUnidentified, customer });
      if (isLeft) writeNow();
    },
    identify(customer) {
      const { correlationValue } = texts;
      admission.identify(customer);
      if (!customer || platform.holdsUnidentified) return;
      const warn = () => warnOfUsers(settings.logger, stats, correlationValue, customer);
      attempt(warn, (error) => reporter.callbackFailed('logger', error));
    },
    setConsent: (consent) => admission.setConsent(consent),
    setApiKey(key) {
      apiKey = key;
      dispatch.setApiKey(key);
    },
    retryNow: dispatch.retryNow,
    // The other process knows nothing of a denial.
    drainInBackground: () => (!admission.isDenied && platform.drainInBackground?.(settings, apiKey)) || false,
    durable,
    async settle({ at, wait }) {
      const over = new AbortController();
      const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
      waits.add(over);
      // Nothing can be delivered in no time.
      const calm = at > clock.now() ? waiting.hurry() : undefined;
      await wait(Promise.race([settle(at, over.signal), ended]));
      waits.delete(over);
      over.abort();
      calm?.();
    },
    shut() {
      isShut = true;
    },
    async close() {
      for (const over of waits) over.abort();
      waiting.stopBatches();
      await dispatch.stop();
      // The option `consent` counts once the journal is open.
      if (admission.isDenied) await opened;
      await admission.close().catch(reporter.storageFailed);
      await waiting.commitAll();
      await waiting.commit.stop();
      // Not earlier: if the process ends while the disk hangs, the exit handler still writes the waiting events.
      stopListening();
      const closing = resources.map(async (part) => part.close());
      await Promise.all(closing.map((closed) => closed.catch(reporter.storageFailed)));
    },
    giveUp() {
      reporter.settled('closed', waiting.giveUp());
      admission.giveUp();
    },
  };
}
