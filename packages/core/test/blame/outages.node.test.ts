import { describe, expect, it } from 'vitest';
import { print } from './figures.ts';
import { measure, Trial } from './scenario.ts';
import { healthy, type Service } from './service.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe('a service that is away', () => {
  it.each<[string, Service]>([
    ['answers 500', () => 500],
    ['answers 503', () => 503],
    ['never answers', () => 'never'],
    ['answers 401', () => 401],
    ['answers 400', () => 400],
  ])('and %s gets at most one probe a minute', async (name, answer) => {
    const service: Service = (request) => (request.at > MINUTE ? answer(request) : 200);
    const scenario = { seconds: 4 * HOUR, arrivals: 0.1, service };
    const { figures, trial } = await measure(`away: ${name}`, scenario);
    const times = trial.between(10 * MINUTE, 4 * HOUR).made.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    print(
      `  ${times.length} requests after ten minutes, at least ${(Math.min(...gaps) / 1_000).toFixed(1)} s apart`,
    );
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
    expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
  });
});

describe('`close({ timeoutMs: 1000 })` takes about a second,', () => {
  it.each<[string, Service]>([
    ['the service works', healthy],
    ['it never answers', () => 'never'],
    ['it fails', () => 500],
    ['it pauses the sender', () => 401],
    ['half of its requests fail', ({ index }) => (index % 2 ? 500 : 200)],
    ['one event makes it fail', ({ events }) => (events.includes(30) ? 500 : 200)],
  ])('whatever the service does: %s', async (name, service) => {
    const trial = new Trial({ seconds: MINUTE, arrivals: 10, service });
    await trial.run();
    const start = trial.clock.now();
    let end = Number.POSITIVE_INFINITY;
    const closed = trial.tracker.close({ timeoutMs: 1_000 }).then(() => {
      end = trial.clock.now();
    });
    await trial.clock.advance(10_000);
    await closed;
    print(`close, ${name}: ${end - start} ms`);
    expect(end - start).toBeLessThanOrEqual(1_200);
  });
});
