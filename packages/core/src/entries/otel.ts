/** Metrics of a tracker for OpenTelemetry, without a dependency on it. */
import { tried } from '@sluice/protocol/toolbox';
import type { BreakerState, PauseReason, TrackerStats } from '../tell/stats.ts';
import type { Tracker } from '../tracker.ts';

type Attributes = Readonly<Record<string, string | number>>;

/** An instrument whose values are read at each collection. */
interface Instrument {
  addCallback(callback: (result: unknown) => void): void;
}

type ReadValues = (result: {
  observe(instrument: Instrument, value: number, attributes?: Attributes): void;
}) => void;

interface InstrumentOptions {
  readonly unit: string;
  readonly description: string;
  readonly advice?: { explicitBucketBoundaries: number[] };
}

/** The part of a `Meter` of `@opentelemetry/api` that is used here. */
export interface Meter {
  createObservableCounter(name: string, options: InstrumentOptions): Instrument;
  createObservableUpDownCounter(name: string, options: InstrumentOptions): Instrument;
  createObservableGauge(name: string, options: InstrumentOptions): Instrument;
  createCounter(
    name: string,
    options: InstrumentOptions,
  ): { add(value: number, attributes?: Attributes): void };
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): { record(value: number, attributes?: Attributes): void };
  addBatchObservableCallback(callback: ReadValues, instruments: Instrument[]): void;
  removeBatchObservableCallback(callback: ReadValues, instruments: Instrument[]): void;
}

/** One value, or several with different attributes; undefined if there is none now. */
type Value = number | undefined | readonly (readonly [number, Attributes])[];

type Metric = readonly [
  kind: 'Counter' | 'UpDownCounter' | 'Gauge',
  name: string,
  unit: string,
  description: string,
  value: (stats: TrackerStats) => Value,
];

// Records: a state that is added to the type but not here does not compile.
const BREAKER_STATES: Readonly<Record<BreakerState, true>> = { closed: true, open: true, 'half-open': true };
const PAUSE_REASONS: Readonly<Record<PauseReason, true>> = {
  unauthorized: true,
  'wrong-address': true,
  refused: true,
  intercepted: true,
  policy: true,
  blocked: true,
  unavailable: true,
  asked: true,
};

/** Of OpenTelemetry's convention for HTTP clients, in seconds. The default ones are for milliseconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Follows OpenTelemetry's conventions: a value that can be summed over trackers is not a gauge, and time is in seconds. */
const METRICS: readonly Metric[] = [
  ['Counter', 'sluice.events.accepted', '{event}', 'Events taken', (s) => s.accepted],
  ['Counter', 'sluice.events.recovered', '{event}', 'Events recovered', (s) => s.recovered],
  ['Counter', 'sluice.events.delivered', '{event}', 'Events delivered', (s) => s.delivered],
  ['Counter', 'sluice.events.dropped', '{event}', 'Events lost', byDropReason],
  ['Counter', 'sluice.events.invalid', '{event}', 'Events invalid', (s) => s.invalid],
  ['Counter', 'sluice.events.maybe_duplicate', '{event}', 'Events sent again', (s) => s.maybeDuplicate],
  ['UpDownCounter', 'sluice.events.pending', '{event}', 'Events pending', (s) => s.pending],
  ['UpDownCounter', 'sluice.events.unwritten', '{event}', 'Events in memory alone', (s) => s.unwritten],
  ['UpDownCounter', 'sluice.events.stored', '{event}', 'Events in the journal', (s) => s.stored],
  ['UpDownCounter', 'sluice.events.in_flight', '{event}', 'Events in a request', (s) => s.inFlight],
  ['UpDownCounter', 'sluice.memory.usage', 'By', 'Events in memory', (s) => s.memoryBytes],
  ['UpDownCounter', 'sluice.journal.usage', 'By', 'Journal', (s) => s.journalBytes],
  ['Gauge', 'sluice.events.oldest_age', 's', 'Oldest event', (s) => s.oldestAgeMs && s.oldestAgeMs / 1_000],
  ['Counter', 'sluice.requests.retried', '{request}', 'Requests made again', (s) => s.requests.retried],
  ['Counter', 'sluice.requests.io', 'By', 'Bodies sent', (s) => s.requests.bytes],
  ['Gauge', 'sluice.requests.limit', '{request}/s', 'Most requests', (s) => s.rateLimit],
  ['Gauge', 'sluice.breaker.state', '1', 'By state', (s) => oneOf(BREAKER_STATES, s.breaker, 'state')],
  ['Gauge', 'sluice.paused', '1', 'By reason', (s) => oneOf(PAUSE_REASONS, s.pause?.reason, 'reason')],
];

/**
 * Reports the stats of a tracker to a meter, from one snapshot per collection, the duration of each request, and each dead letter.
 *
 * @param tracker Anything with a tracker's `stats()` and `on()`.
 * @param meter A `Meter` of `@opentelemetry/api`.
 * @param attributes Added to every value, to tell several trackers of one meter apart. Default: none.
 * @returns Stops this.
 * @example
 * const stop = observeTracker(tracker, metrics.getMeter('sluice'), { tracker: 'orders' });
 */
export function observeTracker(
  tracker: Pick<Tracker, 'on' | 'stats'>,
  meter: Meter,
  attributes: Attributes = {},
): () => void {
  const instruments = METRICS.map(([kind, name, unit, description]) =>
    meter[`createObservable${kind}`](name, { unit, description }),
  );
  const tell: ReadValues = (result) => {
    const stats = tracker.stats();
    for (const [index, instrument] of instruments.entries()) {
      const value = METRICS[index]?.[4](stats);
      const values = typeof value === 'number' ? ([[value, {}]] as const) : (value ?? []);
      for (const [each, more] of values) result.observe(instrument, each, { ...attributes, ...more });
    }
  };
  meter.addBatchObservableCallback(tell, instruments);
  // OpenTelemetry's convention for HTTP clients.
  const description = 'By status';
  const durations = meter.createHistogram('http.client.request.duration', {
    unit: 's',
    description,
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const letters = meter.createCounter('sluice.events.dead_lettered', { unit: '{event}', description });
  const stopLetters = tracker.on('deadLettered', ({ count, status }) => {
    letters.add(count, { 'http.response.status_code': status, ...attributes });
  });
  const stop = tracker.on('request', ({ durationMs, status, url }) => {
    // It is no URL where its host is hidden, as a header of the user that has the same text.
    const server = tried(() => new URL(url));
    durations.record(durationMs / 1_000, {
      'http.request.method': 'POST',
      ...(server && {
        'server.address': server.hostname,
        'server.port': Number(server.port || (server.protocol === 'http:' ? 80 : 443)),
      }),
      ...(status && { 'http.response.status_code': status }),
      ...((!status || status >= 400) && { 'error.type': `${status || 'no answer'}` }),
      ...attributes,
    });
  });
  return () => {
    stop();
    stopLetters();
    meter.removeBatchObservableCallback(tell, instruments);
  };
}

function byDropReason({ dropped }: TrackerStats): Value {
  return Object.entries(dropped).map(([reason, count]) => [count, { reason }]);
}

/** 1 for the one that is so now, 0 for the others. */
function oneOf(all: object, now: string | undefined, attribute: string): Value {
  return Object.keys(all).map((each) => [each === now ? 1 : 0, { [attribute]: each }]);
}
