import { ConfigError } from '@sluice/protocol';
import { readApiKey, systemClock } from '@sluice/protocol/toolbox';
import { ClockOffset } from '../accept/clock-offset.ts';
import { checkSize, checkText, EventTexts, type TrackOptions } from '../accept/event-text.ts';
import { UNIDENTIFIED } from '../accept/unidentified.ts';
import { isThrown, reasonOf } from '../base/reason.ts';
import type { AnyOptions, RelayedOptions, TrackerOptions } from '../options/options.ts';
import { type Defaults, readConsent, readOptions, type Settings } from '../options/settings.ts';
import { missingPart } from '../parts.ts';
import type { FinishOptions, FlushReport, TrackerStats } from '../tell/stats.ts';
import type { Tracker } from '../tracker.ts';
import { createDeadline } from './deadline.ts';
import { createEngine } from './engine.ts';
import { byteLength } from './keep/parcels.ts';
import { type RelayAddress, relayOf } from './send/relay.ts';
import { loadText, saveText } from './store/local-storage.ts';
import type { Meeting } from './store/origin.ts';
import { meeting } from './store/origin.ts';

const FLUSH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** `close()` releases its resources within this time, even if storage hangs. */
const SHUT_DOWN_MS = 5_000;
const NO_OPTIONS: TrackOptions = {};
const OFFSET = 'sluice clock';
const LOOPBACK = /\/\/(([^/]*\.)?localhost|127\.[\d.]+|\[::1])[:/]/;
let isWarned = false;

export const defaults: Defaults = {
  parts: {},
  holdsUnidentified: true,
  warnOfKey(baseUrl) {
    if (isWarned || LOOPBACK.test(baseUrl)) return;
    isWarned = true;
    console.warn('Sluice: the apiKey of a page is public; leave it to a relay');
  },
  commitIntervalMs: 250,
  batchBytes: 128 * 1024,
};

/**
 * As `createTracker`, with these defaults.
 *
 * @param meet How pages find each other. A test brings its own.
 */
export function createWith(options: AnyOptions, defaults: Defaults, meet: Meeting = meeting()): Tracker {
  try {
    const { relay: to, ...given } = options as Partial<RelayedOptions>;
    if (to === undefined || given.enabled === false)
      return trackerOf(readOptions(options as TrackerOptions, defaults), meet);
    const relay = relayOf(to, given);
    const { origin: baseUrl } = new URL(relay.url);
    return trackerOf(readOptions({ ...given, baseUrl } as TrackerOptions, defaults), meet, relay);
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be used: ${reasonOf(error)}`);
  }
}

function trackerOf(settings: Settings, meet: Meeting, relay?: RelayAddress): Tracker {
  const { correlationKey, enabled, keepDeviceTimestamp, maxEventBytes, parts, source, unidentified } =
    settings;
  // It would be ignored: a page keeps records of its own.
  if (typeof settings.journal === 'object')
    throw new ConfigError('journal', 'journal must be "memory" or absent in a page');
  const store = { load: () => loadText(OFFSET), save: (text: string) => saveText(OFFSET, text) };
  const offset = settings.clock ? undefined : new ClockOffset(systemClock, keepDeviceTimestamp, store);
  const nobody = unidentified.hold ? UNIDENTIFIED : undefined;
  const texts = new EventTexts(correlationKey, source, maxEventBytes, nobody, offset);
  const engine = createEngine(settings, texts, () => flush(), relay, meet);
  const { clock, hooked, reporter, stats } = engine;
  let closed: Promise<FlushReport> | undefined;

  async function flush(options?: FinishOptions): Promise<FlushReport> {
    parts.checked?.(options, 'flush');
    const before = stats();
    const over = createDeadline(clock, options, FLUSH_TIMEOUT_MS);
    await (closed ? over.wait(closed) : engine.settleAll(over));
    return since(before);
  }

  async function finish(options?: FinishOptions): Promise<FlushReport> {
    const before = stats();
    await engine.settleAll(createDeadline(clock, options, CLOSE_TIMEOUT_MS));
    await createDeadline(clock, undefined, SHUT_DOWN_MS).wait(engine.close());
    engine.giveUp();
    return since(before);
  }

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

  function track(name: string, payload: object | undefined, options: TrackOptions, context?: object): void {
    if (enabled === false) return;
    try {
      const at = clock.now();
      const ready = hooked.prepare?.(
        { event: name, payload, context },
        options?.correlationValue ?? texts.correlationValue,
      );
      if (typeof ready === 'string') return void engine.drop(ready);
      const draft = ready ?? { event: name, payload, context };
      const text = texts.create(draft.event, draft.payload, options, at, draft.context);
      checkSize(text, maxEventBytes, byteLength);
      const { customer, isUnidentified } = texts;
      if (closed) engine.drop('closed');
      else if (engine.accept(text, at, options.priority === 'high', isUnidentified, customer))
        hooked.handOver?.notify();
      if (settings.debug) reporter.tell('tracked', { event: JSON.parse(text) });
    } catch (error) {
      reporter.invalid(error, name);
    }
  }

  const tracker: Tracker = {
    get deadLetters() {
      return engine.deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
    },
    track: (name: string, payload?: object, options: TrackOptions = NO_OPTIONS) =>
      track(name, payload, options),
    for: (correlationValue, context) => ({
      track: (name: string, payload?: object, options?: TrackOptions) =>
        track(
          name,
          payload,
          { ...options, correlationValue: options?.correlationValue ?? correlationValue },
          context,
        ),
    }),
    identify(correlationValue, ...others: never[]) {
      if (enabled === false) return;
      try {
        checkText('correlationValue', correlationValue, maxEventBytes);
        if (!closed) engine.identify(correlationValue);
        parts.checked?.(others, 'identify');
      } catch (error) {
        reporter.invalid(error);
      }
    },
    reset() {
      if (!closed) engine.identify(undefined);
    },
    setConsent(consent) {
      readConsent(consent);
      if (!closed) engine.setConsent(consent);
    },
    setApiKey: (apiKey) => engine.setApiKey(readApiKey(apiKey)),
    retryNow: () => engine.retryNow(),
    drainInBackground: () => false,
    async durable() {
      if (enabled !== false) await engine.durable();
    },
    flush,
    async close(options) {
      parts.checked?.(options, 'close');
      closed ??= finish(options);
      return closed;
    },
    [Symbol.asyncDispose]: async () => void (await tracker.close()),
    stats,
    on(event, listener) {
      parts.checked?.(event, 'on');
      return reporter.on(event, listener);
    },
  };
  return tracker;
}

function lost({ dropped }: TrackerStats): number {
  return Object.values(dropped).reduce((total, count) => total + count);
}
