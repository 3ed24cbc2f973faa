import { describe, expect, it } from 'vitest';
import { MemoryJournal } from '../../../src/keep/memory-journal.ts';
import { Bench } from '../../bench/bench.ts';

const NO_BOUND = Number.POSITIVE_INFINITY;

/** A journal of somebody's own, with a second one for dead letters. */
class PartedJournal extends MemoryJournal {
  readonly letters = new MemoryJournal(NO_BOUND);
  readonly asked: string[] = [];

  part(name: 'dead-letters' | 'unidentified'): MemoryJournal | undefined {
    this.asked.push(name);
    return name === 'dead-letters' ? this.letters : undefined;
  }
}

async function refuseOne(journal: MemoryJournal): Promise<Bench> {
  const bench = new Bench({ journal });
  bench.refuse((number) => number === 1);
  await bench.track(3);
  await bench.pass(60_000);
  expect(await bench.kept()).toEqual([1]);
  expect(bench.taken.sort()).toEqual([0, 2]);
  return bench;
}

describe('a journal of your own', () => {
  it('keeps dead letters in its part for them, and closes that with the tracker', async () => {
    const journal = new PartedJournal(NO_BOUND);
    const bench = await refuseOne(journal);
    expect(journal.asked.sort()).toEqual(['dead-letters', 'unidentified']);
    expect(journal.letters.bytes).toBeGreaterThan(0);
    await bench.tracker.close();
    await expect(
      journal.letters.append({ bytes: new Uint8Array(), ends: new Uint32Array() }),
    ).rejects.toThrow('close()');
  });

  it('without such a part leaves dead letters in memory', async () => {
    const journal = new MemoryJournal(NO_BOUND);
    const bench = await refuseOne(journal);
    expect(bench.tracker.deadLetters.bytes).toBeGreaterThan(0);
    expect(journal.bytes).toBe(0);
  });
});
