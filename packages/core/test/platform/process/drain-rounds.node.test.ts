import { describe, expect, it } from 'vitest';
import { drainInRounds } from '../../../src/platform/process/drain-in-background.ts';

/** How long an answer takes, in milliseconds. */
const ANSWER_MS = 400;

/** Drains what tools left that ended at these times. Returns when each request was made, and how many events it had. */
async function drain(...ends: readonly number[]): Promise<[number, number][]> {
  const requests: [number, number][] = [];
  let [now, known, sent] = [0, 0, 0];
  const ended = () => ends.filter((end) => end <= now).length;
  while (sent < ends.length) {
    // The process that the next tool starts.
    now = Math.max(now, ends[sent] ?? 0);
    known = ended();
    await drainInRounds({
      isFirst: async () => true,
      async wait(ms) {
        now += ms;
      },
      isVisited() {
        const before = known;
        known = ended();
        return known > before;
      },
      async drain() {
        const count = ended() - sent;
        if (count > 0) requests.push([now, count]);
        sent += count;
        now += ANSWER_MS;
        return count > 0;
      },
    });
  }
  return requests;
}

describe('the process that drains', () => {
  it('delivers what one tool left after a second', async () => {
    expect(await drain(0)).toEqual([[1_000, 1]]);
  });

  it('makes at most 4 requests for 20 tools that follow one another, however slow the machine is that runs them', async () => {
    for (const everyMs of [250, 500, 1_000, 1_500]) {
      const requests = await drain(...Array.from({ length: 20 }, (_, index) => index * everyMs));
      expect(requests.reduce((sum, [, count]) => sum + count, 0)).toBe(20);
      expect(requests.length).toBeLessThanOrEqual(4);
    }
  });

  it('goes on for a tool that ends while it finds nothing', async () => {
    const second = 1_000 + ANSWER_MS + 2_000 + ANSWER_MS / 2;
    expect(await drain(0, second)).toEqual([
      [1_000, 1],
      [second + ANSWER_MS / 2 + 4_000, 1],
    ]);
  });

  it('does not wait for ever while more tools follow', async () => {
    const [first] = await drain(...Array.from({ length: 200 }, (_, index) => index * 250));
    expect(first?.[0]).toBe(15_000);
  });
});
