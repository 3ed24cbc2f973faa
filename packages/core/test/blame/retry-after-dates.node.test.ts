import { describe, expect, it } from 'vitest';
import { print } from './figures.ts';
import { Trial } from './scenario.ts';
import type { Service } from './service.ts';

const HOUR = 60 * 60;

describe('Retry-After as a date five seconds ahead means five seconds,', () => {
  const cases = [429, 503].flatMap((status) => [-1, 0, 1].map((hours) => [hours, status] as const));
  it.each(cases)('with a clock that is ahead by %d hours: %d', async (hours, status) => {
    const waitedMs = await waitAfterDate(status, hours * HOUR * 1_000);
    print(`Retry-After as a date, ${status}, clock ahead by ${hours} h: ${(waitedMs / 1_000).toFixed(1)} s`);
    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
    expect(waitedMs).toBeLessThanOrEqual(8_000);
  });
});

/** How long the tracker waits after such an answer, in milliseconds. */
async function waitAfterDate(status: number, skewMs: number): Promise<number> {
  const date = (at: number): string => new Date(Date.UTC(2026, 0, 1) + (at + 5) * 1_000).toUTCString();
  const service: Service = ({ at, index }) =>
    // The answer takes 50 ms. Full seconds, as dates have no parts of them.
    index === 0 ? { status, retryAfter: date(Math.ceil(at + 0.05)), latencyMs: 50 } : 200;
  const trial = new Trial({ seconds: 2 * HOUR, arrivals: [{ perSecond: 1, to: 10 }], service, skewMs });
  await trial.run();
  await trial.close();
  const [first, second] = trial.transport.requests;
  return (second?.at ?? Number.POSITIVE_INFINITY) - (first?.endedAt ?? 0);
}
