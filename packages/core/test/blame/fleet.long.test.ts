import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { print } from './figures.ts';
import { Trial } from './scenario.ts';
import type { Service } from './service.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe('a service that is away', () => {
  it('is not stampeded by a fleet when it is back', async () => {
    const count = isFull ? 1_000 : 100;
    const end = isFull ? 4 * HOUR : HOUR / 2;
    const seconds = end + 10 * MINUTE;
    const fleet: Trial[] = [];
    const service: Service = ({ at }) => (at > MINUTE && at < end ? 500 : 200);
    const arrivals = [{ perSecond: 1 / MINUTE, isRandom: true }];
    for (let seed = 1; seed <= count; seed += 1)
      fleet.push(new Trial({ seconds, arrivals, service, seed, clock: fleet[0]?.clock }));
    await fleet[0]?.run();
    const perSecond = new Map<number, number>();
    for (const { transport } of fleet) {
      for (const { at } of transport.requests) {
        const second = Math.floor((at - Date.UTC(2026, 0, 1)) / 1_000) - end;
        if (second >= 0) perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      }
    }
    const most = Math.max(...perSecond.values()) / count;
    const pending = fleet.reduce((sum, trial) => sum + trial.stats().pending, 0);
    print(
      `fleet of ${count}: at most ${most.toFixed(2)} requests a second each after the end, ${pending} pending`,
    );
    const closing = fleet.map(({ tracker }) => tracker.close({ timeoutMs: 1 }));
    await fleet[0]?.clock.advance(10_000);
    await Promise.all(closing);
    expect(most).toBeLessThanOrEqual(0.2);
    expect(pending).toBeLessThanOrEqual(0.1 * count);
  });
});
