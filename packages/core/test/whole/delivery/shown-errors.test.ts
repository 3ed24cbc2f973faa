import type { DeliveryError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
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

  it('says what the service answered, and what the sender does', async () => {
    const bench = new Bench();
    bench.answer(() => 403);
    await bench.track(1);
    expect(bench.attemptsFailed[0]?.error.message).toMatch(/answered 403.*pause/);
  });
});
