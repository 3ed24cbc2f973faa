import type { DeliveryError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench } from '../../bench/bench.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const KEY = 'canary-key-5f1d';
const ECHO = `your header was "authorization: Api-Key ${KEY}", ${KEY}`;

/** All texts of an error. */
function textOf(error: DeliveryError | undefined): string {
  const cause = error?.cause instanceof Error ? [error.cause.message, error.cause.stack] : [error?.cause];
  return [error?.message, error?.excerpt, error?.stack, ...cause, JSON.stringify(error)]
    .map(String)
    .join('\n');
}

describe('the key', () => {
  it.each([400, 401, 413, 500])('is in no error, though the answer quotes it: %d', async (status) => {
    const bench = new Bench({ apiKey: KEY });
    bench.answer(() => answered(status, { body: ECHO }));
    await bench.track(1);
    expect(bench.attemptsFailed.length).toBeGreaterThan(0);
    for (const { error } of bench.attemptsFailed) {
      expect(error.excerpt).toContain('your header was');
      expect(textOf(error)).not.toContain(KEY);
    }
  });

  it('is in no pause and no report, though the answer or the address that it redirects to quotes it', async () => {
    const bench = new Bench({ apiKey: KEY });
    bench.answer(() => ({ ...answered(302, { body: ECHO }), location: `/?key=${KEY}` }) as Outcome);
    await bench.track(1);
    const { pause, suspects, lastError } = bench.tracker.stats();
    expect(pause?.words).toBe('/?key=[key]');
    expect(JSON.stringify([pause, suspects, lastError, bench.pauses])).not.toContain(KEY);
  });

  it('is in no dead letter, though the answer quotes it', async () => {
    const bench = new Bench({ apiKey: KEY });
    bench.answer((numbers) => (numbers.includes(0) ? answered(400, { body: ECHO }) : 200));
    await bench.track(10);
    await bench.pass(60_000);
    const letters = [];
    for await (const letter of bench.tracker.deadLetters.list()) letters.push(letter);
    for (const shown of [letters, bench.deadLetters]) {
      expect(shown).toMatchObject([{ excerpt: expect.stringContaining('your header was') }]);
      expect(JSON.stringify(shown)).not.toContain(KEY);
    }
  });

  it('is in no error, though the cause of a failure quotes it', async () => {
    const bench = new Bench({ apiKey: KEY });
    bench.answer(() => failed(false, new Error(`invalid header: Api-Key ${KEY}`)));
    await bench.track(1);
    const error = bench.attemptsFailed[0]?.error;
    expect(error?.message).toContain('invalid header');
    expect(textOf(error)).not.toContain(KEY);
  });
});

describe('the error of a failed request', () => {
  it('shows the start of the answer, as the dead letter does', async () => {
    const bench = new Bench();
    const refusal = answered(400, { body: 'x'.repeat(60_000) });
    bench.answer((numbers) => (numbers.includes(0) ? refusal : 200));
    await bench.track(10);
    await bench.pass(60_000);
    expect(bench.attemptsFailed[0]?.error.excerpt).toBe('x'.repeat(1_024));
    expect(bench.deadLetters[0]?.excerpt).toBe('x'.repeat(1_024));
  });

  it('names the address, the status, the words, what the sender does, and what to do', async () => {
    const bench = new Bench();
    bench.answer(() => answered(403, { body: `"blocked" by rule ${'9'.repeat(1_000)}` }));
    await bench.track(1);
    expect(bench.attemptsFailed[0]?.error.message).toBe(
      `POST http://service.example/api/events/batch/ was answered 403 with "\\"blocked\\" by rule ${'9'.repeat(182)}"; ` +
        'action: pause; check apiKey',
    );
  });

  it('names the cause, where there is no answer', async () => {
    const bench = new Bench();
    bench.answer(() => failed(false, new Error('connect ECONNREFUSED 127.0.0.1:4100')));
    await bench.track(1);
    expect(bench.attemptsFailed[0]?.error.message).toBe(
      'POST http://service.example/api/events/batch/ failed: connect ECONNREFUSED 127.0.0.1:4100; ' +
        'action: retry; check service',
    );
    expect(bench.attemptsFailed[0]?.error.cause).toMatchObject({
      message: 'connect ECONNREFUSED 127.0.0.1:4100',
    });
  });

  it('says where a redirect leads, in place of its page', async () => {
    const bench = new Bench();
    const location = 'https://elsewhere.example/';
    bench.answer(() => ({ ...answered(302, { body: '<html>Found</html>' }), location }) as Outcome);
    await bench.track(1);
    expect(bench.attemptsFailed[0]?.error).toMatchObject({
      message: expect.stringContaining('was answered 302 with "https://elsewhere.example/"'),
      excerpt: location,
    });
    bench.answer(() => ({ ...answered(500, { body: 'down' }), location }) as Outcome);
    bench.tracker.retryNow();
    await bench.quiet();
    expect(bench.attemptsFailed.at(-1)?.error.excerpt).toBe('down');
  });
});
