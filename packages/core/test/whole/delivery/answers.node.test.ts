import { describe, expect, it } from 'vitest';
import { Bench } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const ada = { correlationValue: 'ada@example.com' };

describe('a request', () => {
  it('carries the bytes that the journal was given', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    bench.tracker.track('é€😀\ud800', { 'a "key"': [1e21, '\u2028', null] }, ada);
    bench.trackNow(1);
    await bench.pass(1);
    expect(journal.texts).toHaveLength(2);
    expect(bench.transport.requests[0]?.text).toBe(`{"batch":[${journal.texts.join(',')}]}`);
  });

  it('carries the bytes of an event that an earlier process left, also after it was a dead letter', async () => {
    const texts = [
      '{"payload":{"n":0}, "t":"é€😀\\ud800"}',
      '{"payload":{"n":1.0},"t":12345678901234567890}',
    ];
    const journal = new FakeJournal();
    await journal.leave(texts);
    const bench = new Bench({ journal });
    bench.refuse((n) => n === 1);
    await bench.pass(30_000);
    expect(bench.transport.requests[0]?.text).toBe(`{"batch":[${texts.join(',')}]}`);
    expect(bench.tracker.stats().deadLettered).toBe(1);
    bench.answer(() => 200);
    expect(await bench.tracker.deadLetters.replay()).toBe(1);
    await bench.pass(10);
    expect(bench.transport.requests.at(-1)?.text).toBe(`{"batch":[${texts[1]}]}`);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
  });
});
