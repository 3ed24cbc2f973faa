import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { print, quantiles } from './figures.ts';
import { measure, SCALE, SCALED } from './scenario.ts';
import { healthy, type Service } from './service.ts';

const MINUTE = 60;
const BATCH = 500;
const MOST_REQUESTS = 32;

describe('a service that takes its time for a request gets all that 32 requests at once can carry, within a minute:', () => {
  it.each(few(2, [0.5, 10, 2]))('%d s for a request, 5,000 events/s', async (latency) => {
    const service: Service = () => ({ status: 200, latencyMs: latency * 1_000 });
    const scenario = { seconds: 3 * MINUTE, arrivals: 5_000 / SCALE, service, options: SCALED };
    const { figures, trial } = await measure(`latency ${latency} s`, scenario);
    const most = Math.min(5_000, (MOST_REQUESTS * BATCH) / latency);
    const perSecond = trial.between(MINUTE, 3 * MINUTE - latency).eventsPerSecond * SCALE;
    print(`  ${Math.round(perSecond)} events/s after the first minute, of ${most}`);
    expect(perSecond).toBeGreaterThanOrEqual(0.95 * most);
    expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
    expect(Math.max(...trial.transport.requests.map(({ underWay }) => underWay))).toBeLessThanOrEqual(32);
  });

  it('settles where more requests at once only make each slower, and does not swing', async () => {
    const base = 1_000;
    const knee = 8;
    const service: Service = ({ underWay }) => ({
      status: 200,
      latencyMs: base * Math.max(1, underWay / knee),
    });
    const seconds = (isFull ? 15 : 8) * MINUTE;
    // Only the requests matter here.
    const batch = 20;
    const full = (knee * batch) / (base / 1_000);
    const scenario = {
      seconds,
      arrivals: [{ perSecond: 1.2 * full, stepMs: 100 }],
      service,
      options: { batch: { maxEvents: batch } },
    };
    const { trial } = await measure('latency that grows with concurrency, knee at 8', scenario);
    const last = trial.between(seconds / 2, seconds);
    const [p10 = 0, p50 = 0, p90 = 0] = quantiles(
      last.made.map(({ underWay }) => underWay),
      ...[0.1, 0.5, 0.9],
    );
    const [latency = 0] = quantiles(
      last.accepted.map(({ at, endedAt }) => endedAt - at),
      0.5,
    );
    const perSecond = last.eventsPerSecond;
    print(
      `  ${Math.round(perSecond)} of ${full} events/s in ${latency} ms, at once p10 ${p10}, p50 ${p50}, p90 ${p90}`,
    );
    expect(perSecond).toBeGreaterThanOrEqual(0.95 * full);
    expect(latency).toBeLessThanOrEqual(2.5 * base);
    expect(p90).toBeLessThanOrEqual(2 * p10);
  });
});

describe('events of high priority go first, and hold up no other:', () => {
  it('5/s beside 60 others, at a service that takes 2 s', async () => {
    const service: Service = () => ({ status: 200, latencyMs: 2_000 });
    const arrivals = [{ perSecond: 60 }, { perSecond: 5, priority: 'high' }] as const;
    const { figures } = await measure('high priority 5/s beside 60/s', {
      seconds: 5 * MINUTE,
      arrivals,
      service,
    });
    expect(figures.high.p50).toBeLessThanOrEqual(2_500);
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0 });
  });

  it('30/s beside 1,470 others, at a service that takes 800 ms, after 12 s of 503', async () => {
    const service: Service = ({ at }) => ({ status: at < 12 ? 503 : 200, latencyMs: 800 });
    const arrivals = [{ perSecond: 1_470 }, { perSecond: 30, priority: 'high' }] as const;
    const { figures } = await measure('high priority 30/s beside 1,470/s', {
      seconds: (isFull ? 3 : 1) * MINUTE,
      arrivals,
      service,
    });
    expect(figures.high.p50).toBeLessThanOrEqual(2_500);
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0 });
  });

  it('at a low rate they take 65 ms at p99, the others 0.7 s in the middle', async () => {
    const arrivals = [
      { perSecond: 3, isRandom: true },
      { perSecond: 1 / 7, isRandom: true, priority: 'high' },
    ] as const;
    const service: Service = (request) => ({ status: Number(healthy(request)), latencyMs: 10 });
    const { figures } = await measure('low rate', { seconds: 10 * MINUTE, arrivals, service });
    expect(figures.high.p99).toBeLessThanOrEqual(65);
    expect(figures.delays.p50).toBeLessThanOrEqual(750);
  });
});
