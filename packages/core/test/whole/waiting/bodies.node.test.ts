import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { anyText } from '../../bench/any-text.ts';
import { Bench, numbersOf, range, sorted } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const ada = { correlationValue: 'ada@example.com' };

describe('the body of a request, with a journal', () => {
  it('does not change while others are tracked and sent, and is sent again as it was', async () => {
    const bench = new Bench({ journal: new FakeJournal(), maxEvents: 10, delivery: { maxConcurrency: 2 } });
    let fail = (): void => {};
    const first = new Promise<Outcome>((resolve) => {
      fail = () => resolve(failed(true));
    });
    bench.answer(() => (bench.requests === 1 ? first : 200));
    await bench.track(10);
    for (let round = 0; round < 20; round += 1) await bench.track(10);
    const [request] = bench.transport.requests;
    expect(new TextDecoder().decode(request?.body)).toBe(request?.text);
    fail();
    await bench.pass(SECOND);
    expect(bench.transport.requests.at(-1)?.text).toBe(request?.text);
    expect(bench.taken.slice(-10)).toEqual(range(0, 10));
  });

  it('has all bytes of its events, and releases their places, however often it is cut', async () => {
    const texts = fc.array(anyText({ maxLength: 9 }), { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(texts, async (texts) => {
      const journal = new FakeJournal();
      const bench = new Bench({ journal });
      bench.answer((numbers) => (numbers.length > 1 ? 413 : 200));
      for (const [n, text] of texts.entries()) bench.tracker.track(`"],${text}`, { n, text }, ada);
      await bench.pass(10);
      const singles = bench.transport.requests.filter(({ events }) => events.length === 1);
      for (const request of singles) {
        const [number = 0] = numbersOf(request);
        expect(request.text).toBe(`{"batch":[${journal.texts[number]}]}`);
      }
      expect(sorted(bench.taken)).toEqual(range(0, texts.length));
      const released = journal.acknowledged.flatMap(({ from, to }) => range(from, to));
      expect(sorted(released)).toEqual(range(0, texts.length));
    });
    await fc.assert(property, { numRuns: cases(20) });
  });
});
