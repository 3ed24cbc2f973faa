import { systemClock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { checkSize, type EventTexts } from './accept/event-text.ts';
import { rangeLength } from './base/range.ts';
import { createDispatch } from './dispatch.ts';
import { makeDurable } from './durable.ts';
import type { Engine } from './engine.ts';
import { createJournal, createLetters, prepareAdmission } from './journals.ts';
import { createLeaving } from './leaving.ts';
import { guardCallbacks } from './options/callbacks.ts';
import type { Settings } from './options/settings.ts';
import { learn } from './parts/learn/learn.ts';
import { Books } from './tell/books.ts';
import { consoleWarnings } from './tell/console-log.ts';
import { RateMeter } from './tell/rate-meter.ts';
import { createReporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import { Waiting } from './wait/waiting.ts';

interface Resource {
  close(): Promise<void>;
}

/** Builds the stages of a tracker in the order in which events pass them. Handles the lifecycle of the process or app. */
export function createRoad(settings: Settings, texts: EventTexts, flush: () => Promise<unknown>): Engine {
  const books = new Books();
  const rates = new RateMeter();
  let opened: Promise<void> = Promise.resolve();
  let isOpened = false;
  let isShut = false;
  /** Of all waits: aborted once nothing is delivered any more. */
  const waits = new Set<AbortController>();
  const { clock = systemClock, random = Math.random } = settings;
  const redact = (text: string) => dispatch.redact(text);
  const hooked = guardCallbacks({
    settings,
    clock,
    redact,
    tracked: () => books.accepted,
    flush,
    onFailed: (callback, error) => reporter.callbackFailed(callback, error),
  });
  const { transport = platform.createTransport(settings) } = hooked;
  const warnings = hooked.log ?? (settings.logger !== false && consoleWarnings(redact));
  const tells = [platform.publish, warnings, hooked.steps];
  const reporter = createReporter({ books, clock, tells: tells.filter((tell) => !!tell) });
  const journal = createJournal(settings, clock);
  const limits = learn(reporter, settings.batch);
  const wake = () => void dispatch.wake();
  const sample = () => rates.sample(books, clock.now());
  const onDue = () => {
    sample();
    wake();
  };
  sample();
  const isStrict = settings.ordering === 'strict';
  const { batch, buffer, storage } = settings;
  const rest = platform.createRest?.({ settings, clock, transport, sender: () => dispatch });
  const waiting = new Waiting({
    journal,
    text: platform.text,
    clock,
    random,
    buffer,
    batch,
    limits,
    isStrict,
    isOrdered: settings.isOrdered,
    commitIntervalMs: settings.commitIntervalMs,
    storage,
    opened: () => opened,
    // With strict order, what previous processes left goes first.
    isShut: () => admission.isDenied || (isStrict && !isOpened) || rest?.isOn(waiting),
    onDue,
    onFailed: storageFailed,
    onRecovered: () => reporter.journal(journalKind()),
    reporter,
  });
  const { archive: letters, deadLetters } = createLetters({
    settings,
    clock,
    reporter,
    journal,
    waiting,
    wake,
  });
  const dispatch = createDispatch({
    books,
    clock,
    hooked,
    letters,
    limits,
    random,
    reporter,
    settings,
    sharing: journal.sharing,
    texts,
    transport,
    waiting,
  });
  const admission = prepareAdmission({
    settings,
    clock,
    waiting,
    letters,
    reporter,
    enter: ({ text, at, isHigh, customer }) => enter(text, at, isHigh, customer),
    texts,
    wake,
  });
  /** Closed when the road closes. */
  const resources = [letters, journal, transport, rest].filter((each) => !!each);
  opened = open();
  const leaving = createLeaving({ waiting, admission, dispatch, reporter });
  // The end of the process is nothing to a tracker that does nothing.
  if (settings.enabled === false) leaving.stop();

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
          // What cannot be written again now is once the journal works.
          void waiting.commitAll();
        },
        settled(range, fate) {
          reporter.settled(fate, waiting.drop(range));
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
      rates: rates.perSecond(books, now),
      lastError: reporter.lastError,
    };
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

  /** Where events are kept now. */
  function journalKind(): string {
    return waiting.commit.isFailing ? 'memory' : journal.kind;
  }

  /** Reports the failure. Events may be kept in another place now: reports that too. */
  function storageFailed(error: unknown): void {
    reporter.storageFailed(error);
    reporter.journal(journalKind());
  }

  /** Adds an event to the ring buffer. @param accepted 0 if the event is counted as accepted already. */
  function enter(text: string, at: number, isHigh: boolean, customer: string, accepted = 0): void {
    const isTaken = waiting.push(text, at, isHigh, customer);
    books.accepted += accepted;
    if (isTaken && leaving.isLeft) leaving.writeNow();
    else if (isTaken && isHigh && settings.ordering !== 'unordered')
      void opened.then(() => leaving.writeAndSend());
    else if (isTaken) waiting.commit.notify(isHigh);
    else reporter.settled('buffer-full', 1);
    if (isTaken) hooked.handOver?.notify();
  }

  return {
    clock,
    onAbort: platform.onAbort,
    reporter,
    hooked,
    deadLetters,
    stats,
    isGranted: () => admission.isOpen(false),
    take(text, at, isHigh, isUnidentified, customer) {
      checkSize(text, settings.maxEventBytes, platform.text.byteLength);
      if (!isShut && admission.isOpen(isUnidentified)) return enter(text, at, isHigh, customer, 1);
      books.accepted += 1;
      if (isShut) return reporter.settled('closed', 1);
      admission.take({ text, at, isHigh, isUnidentified, customer });
      if (leaving.isLeft) leaving.writeNow();
    },
    identify(customer) {
      const { correlationValue } = texts;
      if (customer) platform.warnOfUsers?.(settings.logger, stats, correlationValue, customer);
      admission.identify(customer);
    },
    setConsent: (consent) => admission.setConsent(consent),
    setApiKey: dispatch.setApiKey,
    retryNow: dispatch.retryNow,
    drainInBackground: () => platform.drainInBackground?.(settings) ?? false,
    durable: () => makeDurable({ admission, journal, reporter, waiting }),
    async settleAll({ at, wait }) {
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
      await admission.close();
      await waiting.commitAll();
      await waiting.commit.stop();
      // Not earlier: if the process ends while the disk hangs, the exit handler still writes the waiting events.
      leaving.stop();
      const close = async (part: Resource) => part.close();
      await Promise.all(resources.map((part) => close(part).catch(reporter.storageFailed)));
    },
    giveUp() {
      reporter.settled('closed', waiting.giveUp(journal));
      admission.giveUp();
    },
  };
}
