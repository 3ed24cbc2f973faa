// `await using` needs the types of this library, also where a user's tsconfig does not list it.
/// <reference lib="esnext.disposable" preserve="true" />
import { ConfigError } from '@sluice/protocol';
import { readApiKey } from '@sluice/protocol/toolbox';
import { checkText, type EventTexts, type TrackOptions } from './accept/event-text.ts';
import type { AnyEvents, Track } from './accept/track.ts';
import { isThrown, reasonOf } from './base/reason.ts';
import { createDeadline, type Deadline, type Waits } from './deadline.ts';
import type { Guarded } from './options/callbacks.ts';
import type { Consent } from './options/options.ts';
import { readConsent, type Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { missingPart } from './parts.ts';
import type { Reporter } from './tell/reporter.ts';
import type { FinishOptions, FlushReport, TrackerStats } from './tell/stats.ts';
import type { TrackerEvents } from './tell/tracker-events.ts';

const FLUSH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** `close()` releases its resources within this time, even if storage hangs. */
const SHUT_DOWN_MS = 5_000;
const NO_OPTIONS: TrackOptions = {};

/** Takes the events of one customer. Made by `tracker.for()`. */
export type CustomerTracker<Events = AnyEvents> = Pick<Tracker<Events>, 'track'>;

/** Takes events, keeps them safe, delivers them. Made by `createTracker`. Its methods need no `this`. */
export interface Tracker<Events = AnyEvents> extends AsyncDisposable {
  /**
   * The events that the service refused for good. Read them, send them again, or delete them.
   * @throws A ConfigError in a page without the part `deadLetters`. The dead letters are kept all the same.
   */
  readonly deadLetters: DeadLetters;
  /**
   * Accepts an event and stamps it; everything else happens later. Does no I/O and never throws. If the event cannot be sent, the
   * tracker counts it and emits `invalid`. If there is no room for it, the tracker drops it and emits `dropped`.
   * @example tracker.track('purchase', { total: 42.5 }, { correlationValue: 'ada@example.com' });
   */
  readonly track: Track<Events>;
  /**
   * A view of this tracker for the events of one customer: on a server, make one for each request. It costs nothing.
   * @param correlationValue The customer, or an id of your own for one who is not known. An event may name another one itself.
   * @param context Added to each payload. Fields of the payload win. Default: none.
   * @example tracker.for(user.email, { requestId }).track('purchase', { total: 42.5 });
   */
  for(correlationValue: string, context?: object): CustomerTracker<Events>;
  /**
   * For pages and programs of one user: sets the customer of later and of held events, in a page for all tabs. Never throws.
   * @example tracker.identify('ada@example.com');
   */
  identify(correlationValue: string): void;
  /**
   * At sign-out, in a page for all tabs: later events belong to nobody until `identify()`; held events are dropped. Never throws.
   * @example tracker.reset();
   */
  reset(): void;
  /**
   * `pending`: new events stay in memory. `granted`: waiting events continue. `denied`: new, waiting and stored events are dropped. A
   * page stores a denial, for all pages of the origin: only `setConsent('granted')` lifts it, not the option `consent`.
   * @throws A ConfigError for any other value.
   * @example tracker.setConsent('granted');
   */
  setConsent(consent: Consent): void;
  /**
   * Later requests carry this key. A pause ends with one request that tests the key. The journal stays where it is.
   * @throws A ConfigError if it is not a key.
   * @example tracker.setApiKey(await readSecret('sluice'));
   */
  setApiKey(apiKey: string): void;
  /**
   * Sends all that waits at once, suspects too: ends pauses and waits. Does nothing while consent is denied, or after `close()`.
   * @example button.onclick = () => tracker.retryNow();
   */
  retryNow(): void;
  /**
   * Resolves once all events tracked before are in the journal, and synced unless `fsync` is `never`, or were dropped from it.
   * @throws Rejects with a StorageError if the journal fails or is memory, or if events wait for consent. Sluice still sends them.
   * @example await tracker.durable();
   */
  durable(): Promise<void>;
  /**
   * Resolves once all waiting events are delivered, dead letters or dropped. Resolves earlier after `timeoutMs` (30,000), or if no
   * event can make progress before that. The report says how many are pending, and why.
   * @throws Rejects with a ConfigError for a wrong option, except in production builds of a page; for nothing else.
   * @example const { pending, pendingReason } = await tracker.flush({ timeoutMs: 5_000 });
   */
  flush(options?: FinishOptions): Promise<FlushReport>;
  /**
   * Flushes for at most `timeoutMs` (10,000), leaves the rest to the journal, releases all. Drops later events.
   * @throws As `flush()`. The tracker is not closed then.
   * @example await tracker.close({ timeoutMs: 2_000 });
   */
  close(options?: FinishOptions): Promise<FlushReport>;
  /**
   * Node, for command-line tools: starts a small process that delivers what this one leaves in the journal. One at a time works.
   * @returns False if it cannot: elsewhere, in a bundle, or with a journal, transport, dispatcher, `classify` or function of `destination` of your own.
   * @example tracker.drainInBackground();
   */
  drainInBackground(): boolean;
  /**
   * A snapshot: the counts of all events, and what waits where. Cheap to call.
   * @example const { pending, pause } = tracker.stats();
   */
  stats(): TrackerStats;
  /**
   * Adds a listener. If it throws, nothing else is disturbed.
   * @returns Removes the listener.
   * @throws A ConfigError for an unknown name, except in production builds of a page.
   * @example const stop = tracker.on('dropped', ({ reason, count }) => console.warn(reason, count));
   */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void;
}

/** Keeps and delivers the events that a tracker takes. A page has one of its own. @internal */
export interface Engine
  extends Waits,
    Pick<Tracker, 'durable' | 'drainInBackground' | 'retryNow' | 'setApiKey' | 'setConsent' | 'stats'> {
  readonly reporter: Reporter;
  readonly hooked: Pick<Guarded, 'prepare'>;
  /** Undefined without the part. */
  readonly deadLetters: DeadLetters | undefined;
  /** Accepts an event. Throws an InvalidEventError if it is too large. @param customer Empty: nobody is identified. */
  take(text: string, at: number, isHigh: boolean, customer: string): void;
  isGranted(): boolean;
  /** @param customer Undefined: the user is not known. */
  identify(customer?: string): void;
  /** Resolves once all events known by now are settled, at the deadline, or when no event can make progress before it. */
  settle(deadline: Deadline): Promise<void>;
  /** From now on, new events are dropped. */
  shut(): void;
  /** Leaves the rest to the journal, and releases all resources. */
  close(): Promise<void>;
  /** Drops the events that no journal holds, and reports them as `closed`. */
  giveUp(): void;
}

/** Turns any error into a ConfigError. @internal */
export function configured<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be used: ${reasonOf(error)}`);
  }
}

/** The face of an engine. @internal */
export function trackerOn(
  engine: Engine,
  { debug, enabled, maxEventBytes, parts }: Settings,
  texts: EventTexts,
): Tracker {
  const { clock, hooked, reporter, stats } = engine;
  const isOff = enabled === false;
  let closed: Promise<FlushReport> | undefined;

  async function flush(options?: FinishOptions): Promise<FlushReport> {
    parts.checked?.(options, 'flush');
    const before = stats();
    const deadline = createDeadline(engine, options, FLUSH_TIMEOUT_MS);
    await (closed ? deadline.wait(closed) : engine.settle(deadline));
    return since(before);
  }

  async function finish(options?: FinishOptions): Promise<FlushReport> {
    const before = stats();
    await engine.settle(createDeadline(engine, options, CLOSE_TIMEOUT_MS));
    await createDeadline(engine, undefined, SHUT_DOWN_MS).wait(engine.close());
    engine.giveUp();
    return since(before);
  }

  async function close(options?: FinishOptions): Promise<FlushReport> {
    parts.checked?.(options, 'close');
    engine.shut();
    closed ??= finish(options);
    return closed;
  }

  /** What became of events since then, and why events are still pending. */
  function since(before: TrackerStats): FlushReport {
    const after = stats();
    const { held, pause, pending, suspects } = after;
    const sending = pause?.reason ?? (suspects.length < pending ? 'time-out' : 'suspects');
    const reason = engine.isGranted() ? (held === pending ? 'unidentified' : sending) : 'consent';
    return {
      delivered: after.delivered - before.delivered,
      deadLettered: after.deadLettered - before.deadLettered,
      dropped: lost(after) - lost(before),
      pending,
      pendingReason: pending > 0 ? reason : undefined,
    };
  }

  function track(name: string, payload?: object, options = NO_OPTIONS, context?: object, customer?: string) {
    if (isOff) return;
    try {
      const at = clock.now();
      const given = { event: name, payload, context };
      const owner = options?.correlationValue ?? customer ?? texts.correlationValue;
      const draft = hooked.prepare?.(given, owner) ?? given;
      if (typeof draft === 'string') return void reporter.dropped(draft);
      const text = texts.create(draft.event, draft.payload, options, at, draft.context, customer);
      engine.take(text, at, options.priority === 'high', texts.customer);
      if (debug) reporter.tell('tracked', { event: JSON.parse(text) });
    } catch (error) {
      reporter.invalid(error, name);
    }
  }

  return {
    get deadLetters() {
      return engine.deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
    },
    track: (name: string, payload?: object, options?: TrackOptions) => track(name, payload, options),
    for: (correlationValue, context) => ({
      track: (name: string, payload?: object, options?: TrackOptions) =>
        track(name, payload, options ?? NO_OPTIONS, context, correlationValue),
    }),
    identify(correlationValue, ...others: never[]) {
      if (isOff) return;
      try {
        checkText('correlationValue', correlationValue, maxEventBytes);
        if (!closed) engine.identify(correlationValue);
        parts.checked?.(others, 'identify');
      } catch (error) {
        reporter.invalid(error);
      }
    },
    reset() {
      if (!closed) engine.identify();
    },
    setConsent(consent) {
      readConsent(consent);
      if (!closed) engine.setConsent(consent);
    },
    setApiKey: (apiKey) => engine.setApiKey(readApiKey(apiKey)),
    retryNow: engine.retryNow,
    drainInBackground: engine.drainInBackground,
    durable: () => (isOff ? Promise.resolve() : engine.durable()),
    flush,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
    stats,
    on(event, listener) {
      parts.checked?.(event, 'on');
      return reporter.on(event, listener);
    },
  };
}

/** The number of all dropped events. */
function lost({ dropped }: TrackerStats): number {
  return Object.values(dropped).reduce((total, count) => total + count);
}
