import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { numbersOf } from '../bench/bench.ts';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
});
afterEach(() => origin.close());

it.each([true, false])(
  'new events take turns also where all parcels are too large (learns: %s)',
  async (learns) => {
    if (!learns) origin.parts = { ...origin.parts, learn: undefined };
    const taken: number[][] = [];
    let isDown = true;
    origin.respond = (events) => {
      const numbers = numbersOf({ events });
      if (isDown) return answered(503);
      if (numbers.length > 30) return origin.after(50, answered(413));
      taken.push(numbers);
      return origin.after(50, answered(200));
    };
    const { tracker } = origin.openTab({ batch: { maxWaitMs: 10, maxEvents: 100 }, logger: false });
    for (let number = 1; number <= 4_000; number += 1) tracker.track('event', { n: number });
    await origin.pass(5_000, 50);
    isDown = false;
    for (let waits = 0; waits < 3_000 && taken.length < 40; waits += 1) await origin.pass(50);
    const before = taken.length;
    tracker.track('event', { n: 5_000 });
    await origin.pass(30_000, 50);
    const at = taken.findIndex((numbers) => numbers.includes(5_000));
    expect(at).toBeGreaterThan(0);
    expect(at - before).toBeLessThan(10);
  },
);
