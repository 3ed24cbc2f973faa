import { describe, expect, it } from 'vitest';
import { BURST_COMPARISON } from '../src/measurements/burst.ts';
import { burstRow } from '../src/measurements/burst-rows.ts';
import { PEER_COMPARISONS } from '../src/measurements/peers.ts';
import { inRounds } from '../src/measurements/rounds.ts';
import { SUBJECTS } from '../src/subjects/all.ts';
import { bare, collecting } from '../src/subjects/bare.ts';
import { byDefault } from '../src/subjects/sluice.ts';

const comparisons = [BURST_COMPARISON, ...PEER_COMPARISONS];
const peers = SUBJECTS.filter(({ package: its }) => its !== undefined);

describe('a ratio between Sluice and a peer', () => {
  it.each(peers)('is made of bursts of the same size and warm-up, in the same rounds: $name', (peer) => {
    const holding = comparisons.filter(({ subjects }) => subjects.includes(peer));
    expect(holding).toHaveLength(1);
    for (const { subjects, rows, size } of holding) {
      expect(subjects).toContain(byDefault);
      expect(rows.some(({ subject, against }) => subject === byDefault && against === peer)).toBe(true);
      expect(size.warmUp).toBe(size.events / 10);
    }
  });

  it('has its size beside it, and both of its sides have a run in every round', async () => {
    const { subjects, rows, size } = BURST_COMPARISON;
    const figures = { elapsedMs: 1, cpuMs: 1, peakBytes: 1, longestDelayMs: 1, events: 1 };
    const resultsOf = await inRounds(2, subjects, async () => figures);
    const made = rows.map((row) => burstRow(resultsOf, size, row));
    expect(made.map(({ events }) => events)).toEqual(made.map(() => '200,000 after 20,000'));
    for (const { against, ratioSpread } of made) {
      if (against !== null) expect(ratioSpread).toEqual({ median: 1, min: 1, max: 1 });
    }
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  });

  it('is demanded against the loop that posts as it tracks, and no less against the one that waits', () => {
    const demands = (loop: typeof bare) =>
      BURST_COMPARISON.rows.flatMap(({ figure, subject, against, demand }) =>
        against === loop && demand?.of === 'ratio' ? [[figure.title, subject.name, demand]] : [],
      );
    expect(demands(bare)).toHaveLength(4);
    expect(demands(collecting)).toEqual(demands(bare));
    expect(bare.name).toBe('the bare loop');
    expect(bare.configuration).toMatch(/as soon as it is full/);
  });
});

it('runs one subject at a time, and every second round in reverse', async () => {
  const order: string[] = [];
  let running = 0;
  await inRounds(2, ['one', 'two'], async (subject) => {
    running += 1;
    expect(running).toBe(1);
    order.push(subject);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  expect(order).toEqual(['one', 'two', 'two', 'one']);
});
