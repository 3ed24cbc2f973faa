import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { startEmulator } from '@sluice/emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Meter, observeTracker } from '../../src/entries/otel.ts';
import { createTracker, type Tracker, type TrackerStats } from '../../src/index.ts';

const ada = { correlationValue: 'ada@example.com' };

/** The OpenTelemetry SDK itself. It collects when the test says so. */
function createMeter(): { meter: Meter; collect(): Promise<Map<string, unknown>> } {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => provider.shutdown());
  const collect = async () => {
    exporter.reset();
    await reader.forceFlush();
    const seen = new Map<string, unknown>();
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    for (const { descriptor, dataPoints } of scopes.flatMap((scope) => scope.metrics)) {
      for (const { value, attributes } of dataPoints) {
        seen.set([descriptor.name, ...Object.values(attributes)].join(' '), value);
      }
    }
    return seen;
  };
  // This compiles, which shows that a meter of the SDK has the right type.
  return { meter: provider.getMeter('sluice'), collect };
}

/** @param headersOf Headers of the user, for a service at this address. */
async function createService(headersOf?: (host: string) => Record<string, string>): Promise<Tracker> {
  const emulator = await startEmulator({ primaryKey: 'email' });
  const { baseUrl, apiKey } = emulator;
  const delivery = { headers: headersOf?.(new URL(baseUrl).host) };
  const tracker = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: 'memory', delivery });
  onTestFinished(async () => {
    await tracker.close({ timeoutMs: 0 });
    await emulator.close();
  });
  return tracker;
}

describe('a meter', () => {
  it('is told at each collection how a tracker is', async () => {
    const tracker = await createService();
    const { meter, collect } = createMeter();
    observeTracker(tracker, meter);
    for (let number = 0; number < 10; number += 1) tracker.track('measured', { number }, ada);
    tracker.track('', {}, ada);
    const before = await collect();
    expect(before.get('sluice.events.accepted')).toBe(10);
    expect(before.get('sluice.events.pending')).toBe(10);
    expect(before.get('sluice.events.delivered')).toBe(0);
    expect(before.get('sluice.events.invalid')).toBe(1);
    expect(before.get('sluice.memory.usage')).toBeGreaterThan(0);
    expect(before.get('sluice.breaker.state closed')).toBe(1);
    expect(before.get('sluice.breaker.state open')).toBe(0);
    await tracker.flush();
    const after = await collect();
    expect(after.get('sluice.events.pending')).toBe(0);
    expect(after.get('sluice.events.delivered')).toBe(10);
    expect(after.get('sluice.events.dropped buffer-full')).toBe(0);
    // A histogram with the name and the attributes of OpenTelemetry's convention.
    const duration = [...after].find(([name]) => name.startsWith('http.client.request.duration'));
    expect(duration).toEqual([
      expect.stringMatching(/ POST (127\.0\.0\.1|localhost) \d+ 200$/),
      expect.objectContaining({
        ...{ count: 1, min: expect.toSatisfy((seconds: number) => seconds < 10) },
        buckets: expect.objectContaining({ boundaries: expect.arrayContaining([0.005, 0.1, 10]) }),
      }),
    ]);
  });

  it('is told how long requests take, without the address where a header has the same text: no header is shown', async () => {
    const tracker = await createService((host) => ({ 'x-forwarded-host': host }));
    const { meter, collect } = createMeter();
    observeTracker(tracker, meter);
    tracker.track('measured', {}, ada);
    await tracker.flush();
    expect((await collect()).get('http.client.request.duration POST 200')).toMatchObject({ count: 1 });
  });

  it('is told from one snapshot a collection, and no more once that is stopped', async () => {
    const tracker = await createService();
    const { meter, collect } = createMeter();
    let snapshots = 0;
    const counted = {
      on: tracker.on.bind(tracker),
      stats: () => {
        snapshots += 1;
        return tracker.stats();
      },
    };
    const stop = observeTracker(counted, meter);
    expect((await collect()).size).toBeGreaterThan(20);
    await collect();
    expect(snapshots).toBe(2);
    stop();
    stop();
    await collect();
    expect(snapshots).toBe(2);
  });

  it('tells trackers apart by their attributes', async () => {
    const { meter, collect } = createMeter();
    const [first, second] = [await createService(), await createService()];
    observeTracker(first, meter, { tracker: 'first' });
    observeTracker(second, meter, { tracker: 'second' });
    first.track('one', {}, ada);
    const seen = await collect();
    expect(seen.get('sluice.events.accepted first')).toBe(1);
    expect(seen.get('sluice.events.accepted second')).toBe(0);
    expect(seen.get('sluice.events.dropped second closed')).toBe(0);
  });

  it('is told times in seconds, the reason of a pause, and nothing of what is not known', async () => {
    const tracker = await createService();
    const { meter, collect } = createMeter();
    let more: Partial<TrackerStats> = {};
    observeTracker({ on: () => () => {}, stats: () => ({ ...tracker.stats(), ...more }) }, meter);
    const calm = await collect();
    expect(calm.has('sluice.events.oldest_age')).toBe(false);
    expect(calm.has('sluice.requests.limit')).toBe(false);
    expect(calm.get('sluice.paused unauthorized')).toBe(0);
    more = {
      oldestAgeMs: 2_500,
      rateLimit: 0.5,
      pause: { reason: 'unauthorized', status: 401, words: '', since: 0, until: 0, hint: 'check apiKey' },
      requests: {
        sent: 3,
        retried: 2,
        failed: 1,
        bytes: 1_000,
        latencyMs: tracker.stats().requests.latencyMs,
      },
    };
    const busy = await collect();
    expect(busy.get('sluice.events.oldest_age')).toBe(2.5);
    expect(busy.get('sluice.requests.limit')).toBe(0.5);
    expect(busy.get('sluice.requests.io')).toBe(1_000);
    expect(busy.get('sluice.paused unauthorized')).toBe(1);
    expect(busy.get('sluice.paused refused')).toBe(0);
  });

  it('that does nothing, because no SDK is there, is taken as well', async () => {
    const tracker = await createService();
    const stop = observeTracker(tracker, metrics.getMeter('sluice'));
    tracker.track('unobserved', {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    stop();
  });
});
