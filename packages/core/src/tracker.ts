// `await using` needs the types of this library, also where a user's tsconfig does not list it.
/// <reference lib="esnext.disposable" preserve="true" />
import { checkText, EventTexts, type TrackOptions } from './accept/event-text.ts';

// That comes first: gzip looks back 32 KiB, and finds more that is alike in this order. It saves a page 60 bytes.

import { ConfigError, readApiKey } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { ClockOffset } from './accept/clock-offset.ts';
import type { AnyEvents, Track } from './accept/track.ts';
import { UNIDENTIFIED } from './accept/unidentified.ts';
import { isThrown, reasonOf } from './base/reason.ts';
import { Deadline, finishOptions } from './deadline.ts';
import type { Consent, TrackerOptions } from './options/options.ts';
import { type Defaults, readConsent, readOptions, type Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import type { Inputs, Schemas } from './parts/hooks/schemas.ts';
import { missingPart } from './parts.ts';
import { Road } from './road.ts';
import type { FinishOptions, FlushReport, TrackerStats } from './tell/stats.ts';
import type { TrackerEvents } from './tell/tracker-events.ts';

const FLUSH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** `close()` releases its resources within this time, even if storage hangs. */
const SHUT_DOWN_MS = 5_000;
const NO_OPTIONS: TrackOptions = {};
const nothing = () => {};
/** What a tracker that does nothing does. */
const NOTHING: Partial<Tracker> = {
  track: nothing,
  for: () => ({ track: nothing }),
  identify: nothing,
  durable: async () => {},
};

/**
 * Makes a tracker. Synchronous: events tracked while the journal opens wait in memory.
 * Throws a ConfigError if an option is wrong, and nothing else.
 */
export function createTracker<const Given extends Schemas>(
  options: TrackerOptions & { readonly events: Given },
): Tracker<Inputs<Given>>;
export function createTracker<Events extends object = AnyEvents>(options: TrackerOptions): Tracker<Events>;
export function createTracker(options: TrackerOptions): Tracker {
  return createWith(options, platform);
}

/** As `createTracker`, with these defaults. @internal */
export function createWith(options: TrackerOptions, defaults: Defaults): Tracker {
  try {
    return trackerOf(readOptions(options, defaults));
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be used: ${reasonOf(error)}`);
  }
}

/** Takes the events of one customer. Made by `tracker.for()`. */
export type CustomerTracker<Events = AnyEvents> = Pick<Tracker<Events>, 'track'>;

/** Takes events, keeps them safe, delivers them. Made by `createTracker`. Its methods need no `this`. */
export interface Tracker<Events = AnyEvents> extends AsyncDisposable {
  /**
   * The events that the service refused for good. Read them, send them again, or delete them. A page needs the part
   * `deadLetters` for this: without the part, this throws a ConfigError, but the dead letters are kept all the same.
   */
  readonly deadLetters: DeadLetters;
  /**
   * Accepts an event and stamps it; everything else happens later. Does no I/O and never throws. If the event cannot be sent,
   * the tracker counts it and emits `invalid`. If there is no room for it, the tracker drops it and emits `dropped`.
   *
   * @param name Name of the event.
   * @param payload Any data that JSON can hold.
   */
  readonly track: Track<Events>;
  /**
   * A view of this tracker for the events of one customer: on a server, make one for each request. It costs nothing, and has no state
   * but what is given here. Events that name a `correlationValue` themselves keep it.
   *
   * @param correlationValue The customer: an id of your own for one who is not known yet.
   * @param context Added to each payload. Fields of the payload win.
   * @example tracker.for(user.email, { requestId }).track('purchase', { total: 42.5 });
   */
  for(correlationValue: string, context?: object): CustomerTracker<Events>;
  /**
   * Sets the user of later events that name none themselves. In a page that holds events without a user, this holds in all tabs.
   * Like `track()`, it never throws: it emits `invalid`.
   */
  identify(correlationValue: string): void;
  /**
   * Call this when the customer signs out. Later events belong to nobody until `identify()` is called again. In a page that holds
   * events without a user, this holds in all tabs. Held events that were never identified are dropped. Never throws. Once `durable()` resolves, the next process or page knows it too.
   */
  reset(): void;
  /**
   * Sets whether Sluice may keep and send events from now on. `pending`: new events stay in memory. `granted`: waiting events
   * continue. `denied`: new, waiting and stored events are dropped; a pending request goes on, but is not retried. Throws a
   * ConfigError for any other value.
   *
   * Pages: a denial is stored, and holds for this account in all pages of the origin, those opened later too. Only
   * `setConsent('granted')` in one of them lifts it, for all; the option `consent` does not.
   */
  setConsent(consent: Consent): void;
  /**
   * Later requests carry this key. If requests are paused, one is made at once to test the key. The journal stays where it is.
   * Throws a ConfigError if it is not a key.
   */
  setApiKey(apiKey: string): void;
  /**
   * Sends waiting events at once: ends a pause, the wait of an open breaker, and the waits of events that failed, suspects
   * included. Does nothing while consent is denied, or once the tracker is closed.
   */
  retryNow(): void;
  /**
   * Resolves once all events tracked before are durable: the journal has them, and they are synced unless `fsync` is `never`.
   * Rejects with a StorageError if the journal fails or is in memory, or if events wait for consent. Such events stay in
   * memory, and are lost if the process ends. If the journal is full, this does not reject: the tracker emits `dropped`.
   */
  durable(): Promise<void>;
  /**
   * Resolves once all events tracked before, and all events found in the journal, are delivered, dead letters or dropped.
   * Resolves earlier at the time-out, or when no event can make progress before the time-out; the report then says how many are
   * pending. Rejects only with a ConfigError, for an unknown option, except in production builds of a page.
   */
  flush(options?: FinishOptions): Promise<FlushReport>;
  /**
   * Flushes until the time-out, leaves the rest to the journal, and releases all resources. Later events are dropped. Never
   * rejects.
   */
  close(options?: FinishOptions): Promise<FlushReport>;
  /**
   * Node, for command-line tools: starts a small process that waits for the end of this one, delivers what it left in the journal, and
   * ends. One at a time drains a directory. Returns false if it cannot: elsewhere, in a bundle without the files of
   * `@sluice/core`, or with a journal, transport or dispatcher of your own.
   */
  drainInBackground(): boolean;
  /** A snapshot: the counts of all events, and what waits where. Cheap to call. */
  stats(): TrackerStats;
  /**
   * Adds a listener. Returns a function that removes it. A listener that throws disturbs nothing. Throws a ConfigError for an unknown
   * name, except in production builds of a page.
   */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void;
}

function trackerOf(settings: Settings): Tracker {
  const { clock, correlationKey, keepDeviceTimestamp, source, maxEventBytes, unidentified } = settings;
  const nobody = unidentified.hold ? UNIDENTIFIED : undefined;
  // A clock of the user's own is right.
  const offset = clock ? undefined : new ClockOffset(systemClock, keepDeviceTimestamp, platform.offsetStore);
  const texts = new EventTexts(correlationKey, source, maxEventBytes, nobody, offset);
  /** Aborted after the flush of `close()`: nothing is delivered any more, so every other `flush()` ends. */
  const ending = new AbortController();
  let closed: Promise<FlushReport> | undefined;
  const road = new Road(settings, texts, () => flush());
  const { reporter } = road;
  const stats = () => road.snapshots.take();

  async function flush(options?: FinishOptions): Promise<FlushReport> {
    settings.parts.checked?.(options, 'flush');
    const { timeoutMs, signal } = finishOptions(options, FLUSH_TIMEOUT_MS);
    const before = stats();
    if (closed) {
      await new Deadline(road.clock, timeoutMs, signal).wait(closed);
    } else {
      // Nothing can be delivered in no time.
      const calm = timeoutMs > 0 ? road.hurry() : () => {};
      const deadline = new Deadline(road.clock, timeoutMs, signal, ending.signal);
      await deadline.wait(road.settleAll(deadline));
      calm();
    }
    return since(before);
  }

  async function finish(options: FinishOptions): Promise<FlushReport> {
    const before = stats();
    await flush(options);
    ending.abort();
    await new Deadline(road.clock, SHUT_DOWN_MS).wait(road.close());
    road.giveUpVolatile();
    return since(before);
  }

  function close(options?: FinishOptions): Promise<FlushReport> {
    road.shut();
    closed ??= finish(finishOptions(options, CLOSE_TIMEOUT_MS));
    return closed;
  }

  /** @param customer Undefined: the user is not known. */
  function setCustomer(customer?: string): void {
    if (!closed) road.admission.identify(customer);
  }

  /** What became of events since then, and why events are still pending. */
  function since(before: TrackerStats): FlushReport {
    const after = stats();
    const { held, pause, pending, suspects } = after;
    const sending = pause?.reason ?? (suspects.length < pending ? 'time-out' : 'suspects');
    const granted = held === pending ? 'unidentified' : sending;
    const reason = road.admission.isOpen(false) ? granted : 'consent';
    return {
      delivered: after.delivered - before.delivered,
      deadLettered: after.deadLettered - before.deadLettered,
      dropped: lost(after) - lost(before),
      pending,
      pendingReason: pending > 0 ? reason : undefined,
    };
  }

  /** Accepts an event. Never throws. */
  function accept(name: string, payload: object | undefined, options: TrackOptions, context?: object): void {
    try {
      const at = road.clock.now();
      const ready = road.hooked.prepare?.(
        { event: name, payload, context },
        options?.correlationValue ?? texts.correlationValue,
      );
      if (typeof ready === 'string') {
        road.drop(ready);
        return;
      }
      const text = ready
        ? texts.create(ready.event, ready.payload, options, at, ready.context)
        : texts.create(name, payload, options, at, context);
      const { customer, isUnidentified } = texts;
      road.accept(text, at, options.priority === 'high', isUnidentified, customer);
      if (settings.debug) reporter.tell('tracked', { event: JSON.parse(text) });
    } catch (error) {
      reporter.invalid(error, name);
    }
  }

  const tracker: Tracker = {
    get deadLetters() {
      return road.deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
    },
    track(name, payload, options = NO_OPTIONS) {
      accept(name, payload, options);
    },
    for: (correlationValue, context) => ({
      track(name, payload, options) {
        accept(
          name,
          payload,
          { ...options, correlationValue: options?.correlationValue ?? correlationValue },
          context,
        );
      },
    }),
    identify(correlationValue, ...others: never[]) {
      try {
        checkText('correlationValue', correlationValue, maxEventBytes);
        const before = texts.correlationValue;
        if (before !== undefined && before !== correlationValue && stats().pending > 0)
          platform.warnOfUsers?.(settings.logger);
        setCustomer(correlationValue);
        settings.parts.checked?.(others, 'identify');
      } catch (error) {
        reporter.invalid(error);
      }
    },
    reset: () => setCustomer(),
    setConsent(consent) {
      readConsent(consent);
      if (!closed) road.setConsent(consent);
    },
    setApiKey: (apiKey) => road.dispatch.setApiKey(readApiKey(apiKey)),
    retryNow: () => road.dispatch.retryNow(),
    drainInBackground: () => platform.drainInBackground?.(settings) ?? false,
    durable: () => road.durable(),
    flush,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
    stats,
    on(event, listener) {
      settings.parts.checked?.(event, 'on');
      return reporter.on(event, listener);
    },
  };
  if (settings.enabled !== false) return tracker;
  road.ignore();
  return Object.assign(tracker, NOTHING);
}

/** The number of all dropped events. */
function lost({ dropped }: TrackerStats): number {
  return Object.values(dropped).reduce((total, count) => total + count);
}
