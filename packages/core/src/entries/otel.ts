/** Metrics of a tracker for OpenTelemetry, without a dependency on it. */
import type { BreakerState, PauseReason, TrackerStats } from '../tell/stats.ts';

type Attributes = Readonly<Record<string, string>>;

/** An instrument whose values are read at each collection. */
interface Instrument {
  addCallback(callback: (result: unknown) => void): void;
}

/** Receives the values at a collection. */
interface Observations {
  observe(instrument: Instrument, value: number, attributes?: Attributes): void;
}

interface InstrumentOptions {
  readonly unit: string;
  readonly description: string;
}

/** The part of a `Meter` of `@opentelemetry/api` that is used here. */
export interface Meter {
  createObservableCounter(name: string, options: InstrumentOptions): Instrument;
  createObservableUpDownCounter(name: string, options: InstrumentOptions): Instrument;
  createObservableGauge(name: string, options: InstrumentOptions): Instrument;
  addBatchObservableCallback(callback: (result: Observations) => void, instruments: Instrument[]): void;
  removeBatchObservableCallback(callback: (result: Observations) => void, instruments: Instrument[]): void;
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
  misdirected: true,
  refused: true,
  intercepted: true,
  policy: true,
  blocked: true,
};

/** Follows OpenTelemetry's conventions: a value that can be summed over trackers is not a gauge, and time is in seconds. */
const METRICS: readonly Metric[] = [
  ['Counter', 'sluice.events.accepted', '{event}', 'Events that track() took', (s) => s.accepted],
  ['Counter', 'sluice.events.recovered', '{event}', 'Events that earlier lives left', (s) => s.recovered],
  ['Counter', 'sluice.events.delivered', '{event}', 'Events that the service took', (s) => s.delivered],
  ['Counter', 'sluice.events.dead_lettered', '{event}', 'Events refused for good', (s) => s.deadLettered],
  ['Counter', 'sluice.events.dropped', '{event}', 'Events lost, by reason', byDropReason],
  ['Counter', 'sluice.events.invalid', '{event}', 'Events that cannot be sent', (s) => s.invalid],
  ['Counter', 'sluice.events.maybe_duplicate', '{event}', 'Perhaps sent twice', (s) => s.maybeDuplicate],
  ['UpDownCounter', 'sluice.events.pending', '{event}', 'Events that wait', (s) => s.pending],
  ['UpDownCounter', 'sluice.events.unwritten', '{event}', 'Events in memory alone', (s) => s.unwritten],
  ['UpDownCounter', 'sluice.events.stored', '{event}', 'Events in the journal alone', (s) => s.stored],
  ['UpDownCounter', 'sluice.events.in_flight', '{event}', 'Events in a request', (s) => s.inFlight],
  ['UpDownCounter', 'sluice.memory.usage', 'By', 'Events in memory', (s) => s.memoryBytes],
  ['UpDownCounter', 'sluice.journal.usage', 'By', 'Storage of the journal', (s) => s.journalBytes],
  ['Gauge', 'sluice.events.oldest_age', 's', 'Age of the oldest event in memory', oldestAge],
  ['Counter', 'sluice.requests.sent', '{request}', 'Requests made', (s) => s.requests.sent],
  ['Counter', 'sluice.requests.retried', '{request}', 'Requests made again', (s) => s.requests.retried],
  ['Counter', 'sluice.requests.failed', '{request}', 'Requests not accepted', (s) => s.requests.failed],
  ['Counter', 'sluice.requests.io', 'By', 'Bodies sent', (s) => s.requests.bytes],
  ['Gauge', 'sluice.requests.duration', 's', 'Of the last requests, by quantile', byQuantile],
  ['Gauge', 'sluice.requests.limit', '{request}/s', 'Most requests, since pushed back', (s) => s.rateLimit],
  ['Gauge', 'sluice.breaker.state', '1', '1 for the state of the breaker, 0 for others', byBreakerState],
  ['Gauge', 'sluice.paused', '1', '1 for the reason why the sender waits, 0 for others', byPauseReason],
];

/**
 * Reports the stats of a tracker to a meter, from one snapshot per collection. Returns a function that stops it.
 *
 * @param tracker Anything with a tracker's `stats()`.
 * @param meter A `Meter` of `@opentelemetry/api`.
 * @param attributes Added to every value, to tell several trackers of one meter apart. Default: none.
 */
export function observeTracker(
  tracker: { stats(): TrackerStats },
  meter: Meter,
  attributes: Attributes = {},
): () => void {
  const instruments = METRICS.map(([kind, name, unit, description]) =>
    meter[`createObservable${kind}`](name, { unit, description }),
  );
  const tell = (result: Observations) => {
    const stats = tracker.stats();
    for (const [index, instrument] of instruments.entries()) {
      const value = METRICS[index]?.[4](stats);
      const values = typeof value === 'number' ? ([[value, {}]] as const) : (value ?? []);
      for (const [each, more] of values) result.observe(instrument, each, { ...attributes, ...more });
    }
  };
  meter.addBatchObservableCallback(tell, instruments);
  return () => meter.removeBatchObservableCallback(tell, instruments);
}

function byDropReason({ dropped }: TrackerStats): Value {
  return Object.entries(dropped).map(([reason, count]) => [count, { reason }]);
}

function byQuantile({ requests }: TrackerStats): Value {
  const { p50, p90, p99, max } = requests.latencyMs;
  const quantiles = { '0.5': p50, '0.9': p90, '0.99': p99, '1': max };
  return Object.entries(quantiles).map(([quantile, ms]) => [ms / 1_000, { quantile }]);
}

function byBreakerState({ breaker }: TrackerStats): Value {
  return Object.keys(BREAKER_STATES).map((state) => [state === breaker ? 1 : 0, { state }]);
}

function byPauseReason({ pause }: TrackerStats): Value {
  return Object.keys(PAUSE_REASONS).map((reason) => [reason === pause?.reason ? 1 : 0, { reason }]);
}

function oldestAge({ oldestAgeMs }: TrackerStats): Value {
  return oldestAgeMs === undefined ? undefined : oldestAgeMs / 1_000;
}
