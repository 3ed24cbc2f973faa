import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { print } from './figures.ts';
import { measure } from './scenario.ts';
import { randomOf, type Service } from './service.ts';

const MINUTE = 60;
const KIB = 1_024;

describe('a service that takes a limited number of events in a request, and refuses more with 400:', () => {
  it.each(few(2, [75, 10, 1, 100]))('%d events', async (most) => {
    const service: Service = ({ events }) => (events.length > most ? 400 : 200);
    const scenario = { seconds: 20, after: 5 * MINUTE, arrivals: 1_000, service };
    const { figures } = await measure(`at most ${most} events`, scenario);
    const ideal = figures.tracked / most;
    print(`  ${(figures.requests / ideal).toFixed(2)} of the ideal number of requests`);
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
    expect(figures.requests).toBeLessThanOrEqual(1.3 * ideal);
  });
});

describe('a limit in bytes that is gone is learned away:', () => {
  it('1 KiB in the first minute, then none', async () => {
    const service: Service = ({ at, bytes }) => (at < MINUTE && bytes > KIB ? 413 : 200);
    const seconds = (isFull ? 8 : 6.5) * MINUTE;
    const { figures, trial } = await measure('1 KiB in the first minute', {
      seconds,
      arrivals: 600,
      service,
    });
    const { eventsPerRequest } = trial.between(6 * MINUTE, seconds);
    print(`  ${Math.round(eventsPerRequest)} events a request after five minutes`);
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0, invalid: 0 });
    expect(eventsPerRequest).toBeGreaterThanOrEqual(0.9 * 500);
  });

  it.each(few(1, [30, 100]))('a stray 413 to one request in %d', async (each) => {
    const random = randomOf(5);
    const service: Service = ({ at }) => (at < 3 * MINUTE && random() < 1 / each ? 413 : 200);
    const seconds = 5 * MINUTE;
    // A few events are large, as large as some bodies.
    const textOf = (event: number) => (event % 2_000 === 999 ? 60 * KIB : 0);
    const scenario = { seconds, arrivals: 1_000, service, textOf };
    const { figures, trial } = await measure(`stray 413, one in ${each}`, scenario);
    const during = trial.between(MINUTE, 3 * MINUTE).eventsPerRequest;
    const { eventsPerRequest } = trial.between(4 * MINUTE, seconds);
    print(
      `  ${Math.round(during)} events a request meanwhile, ${Math.round(eventsPerRequest)} after a minute`,
    );
    expect(figures).toMatchObject({ late: 0, deadLetters: 0, dropped: 0, invalid: 0 });
    expect(eventsPerRequest).toBeGreaterThanOrEqual(0.9 * 500);
  });
});
