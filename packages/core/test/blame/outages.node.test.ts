import { describe, expect, it } from 'vitest';
import { goAway } from './away.ts';
import { print } from './figures.ts';
import { Trial } from './scenario.ts';
import { healthy, type Service } from './service.ts';

const MINUTE = 60;

describe('a service that is away', () => {
  // The long tests have the other answers.
  it('and answers 500 gets at most one probe a minute', async () => {
    await expect(goAway('answers 500', () => 500)).resolves.toBeUndefined();
  });
});

describe('a service that is away, and asks for a second each time,', () => {
  it('leaves no more than a thousand events outside of the ring buffer and the journal', async () => {
    const service: Service = () => ({ status: 503, retryAfter: '1' });
    const trial = new Trial({ seconds: 40 * MINUTE, arrivals: 2, service });
    await trial.run();
    const { inFlight, requests } = trial.stats();
    print(`503, Retry-After 1, for 40 minutes: ${requests.sent} requests, ${inFlight} events wait outside`);
    expect(requests.sent).toBeGreaterThan(1_200);
    expect(inFlight).toBeLessThanOrEqual(1_001);
    await trial.close();
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
