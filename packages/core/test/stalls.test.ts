import { describe, expect, it } from 'vitest';
import { Stalls } from '../src/stalls.ts';
import { settle } from './virtual-clock.ts';

interface Bench {
  until: number;
  readonly stalls: Stalls;
  readonly wait: (until: number, work?: Promise<void>) => { isOver: boolean };
}

const never = new Promise<void>(() => {});

function createBench(): Bench {
  const stalls: Stalls = new Stalls(() => bench.until);
  const wait = (until: number, work = never) => {
    const state = { isOver: false };
    void stalls.wait(work, until).then(() => {
      state.isOver = true;
    });
    return state;
  };
  const bench: Bench = { until: 0, stalls, wait };
  return bench;
}

describe('Stalls', () => {
  it('wait for the work', async () => {
    const { wait } = createBench();
    const waits = [wait(1_000, Promise.resolve()), wait(1_000)];
    await settle();
    expect(waits).toEqual([{ isOver: true }, { isOver: false }]);
  });

  it('end the wait of those, and only those, whose time is over before anything can become of an event', async () => {
    const bench = createBench();
    const waits = [bench.wait(1_000), bench.wait(2_000), bench.wait(3_000)];
    bench.until = 2_000;
    bench.stalls.check();
    await settle();
    expect(waits.map(({ isOver }) => isOver)).toEqual([true, true, false]);
  });

  it('end a wait at once where that is so already', async () => {
    const bench = createBench();
    bench.until = 2_000;
    const early = bench.wait(2_000);
    await settle();
    expect(early.isOver).toBe(true);
  });

  it('tell nobody while something may become of them', async () => {
    const bench = createBench();
    const wait = bench.wait(1_000);
    for (let count = 0; count < 10; count += 1) bench.stalls.check();
    await settle();
    expect(wait.isOver).toBe(false);
  });
});
