import { describe, expect, it } from 'vitest';
import { Rates } from '../../src/intake/rates.ts';

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;

describe('A rate', () => {
  it('lets pass what is allowed in a minute at once, and then as much as time allows', () => {
    const rates = new Rates(60);
    for (let event = 0; event < 60; event += 1) take(rates, NOW);
    expect(() => take(rates, NOW)).toThrow('too_many');
    expect(() => take(rates, NOW + 1_000)).not.toThrow();
    expect(() => take(rates, NOW + 1_000)).toThrow('too_many');
  });

  it('does not refuse for an hour what comes after the clock was set back by an hour', () => {
    const rates = new Rates(60);
    take(rates, NOW);
    expect(() => take(rates, NOW - HOUR_MS)).not.toThrow();
  });
});

function take(rates: Rates, now: number): void {
  rates.check('somebody', 1, now);
  rates.count('somebody', 1, now);
}
