import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, numbersOf, range, sorted } from '../../bench/bench.ts';
import { failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;

describe('the body of a request', () => {
  it('does not change while others are tracked and sent, and is sent again as it was', async () => {
    const bench = new Bench({ maxEvents: 10, delivery: { maxConcurrency: 2 } });
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

  it('is cut in halves if it is refused, and each event is delivered once', async () => {
    const bench = new Bench();
    bench.answer((numbers) => (numbers.length === 7 ? 400 : 200));
    await bench.track(7);
    await bench.pass(SECOND);
    const [first, second, ...others] = bench.transport.requests.map(numbersOf);
    expect([first, second]).toEqual([range(0, 7), range(0, 7)]);
    expect(Math.max(...others.map(({ length }) => length))).toBeLessThanOrEqual(4);
    expect(sorted(others.flat())).toEqual(range(0, 7));
  });
});
