import { describe, expect, it } from 'vitest';
import { ArrivalRates } from '../src/events/rates.ts';

function atSecond(second: number) {
  const clock = { second };
  return { clock, rates: new ArrivalRates(() => clock.second * 1_000) };
}

describe('arrival rates', () => {
  it('tell each second that is over by name, with those in which nothing came', () => {
    const { clock, rates } = atSecond(1_000);
    rates.add('purchase');
    rates.add('purchase');
    rates.add('__proto__');
    clock.second = 1_002;
    rates.add('not over yet');
    expect(JSON.stringify(rates.since(999))).toBe(
      '[{"second":1000,"counts":{"purchase":2,"__proto__":1}},{"second":1001,"counts":{}}]',
    );
    expect(rates.since(1_001)).toEqual([]);
  });

  it('tell nothing of seconds before they began to count', () => {
    const { clock, rates } = atSecond(1_000);
    clock.second = 1_002;
    expect(rates.since(0)).toEqual([
      { second: 1_000, counts: {} },
      { second: 1_001, counts: {} },
    ]);
  });

  it('forget what is older than five minutes', () => {
    const { clock, rates } = atSecond(1_000);
    rates.add('old');
    clock.second = 1_300;
    expect(rates.since(0)).toHaveLength(300);
    expect(rates.since(0)[0]).toEqual({ second: 1_000, counts: { old: 1 } });
    clock.second = 1_301;
    expect(rates.since(0)).toHaveLength(300);
    expect(rates.since(0).every(({ counts }) => Object.keys(counts).length === 0)).toBe(true);
  });

  it('count many names, and all beyond these together', () => {
    const { clock, rates } = atSecond(1_000);
    for (let index = 0; index < 5_000; index += 1) rates.add(`name ${index}`);
    for (let index = 0; index < 50; index += 1) rates.add('name 7');
    rates.add('x'.repeat(100_000));
    clock.second = 1_001;
    const counts = rates.since(999)[0]?.counts ?? {};
    expect(Object.keys(counts)).toHaveLength(101);
    expect(counts['name 7']).toBe(51);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(5_051);
    expect(counts['']).toBe(4_901);
  });

  it('begin anew when the clock is set back', () => {
    const { clock, rates } = atSecond(1_000);
    rates.add('later');
    clock.second = 500;
    rates.add('earlier');
    clock.second = 501;
    expect(rates.since(499)).toEqual([{ second: 500, counts: { earlier: 1 } }]);
  });
});
