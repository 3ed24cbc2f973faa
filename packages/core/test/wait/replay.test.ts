import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { type ReplayOptions, replay } from '../../src/wait/replay.ts';

const RANGE: Range = { segment: 1, from: 0, to: 2 };
const EVENTS: EventBytes = { bytes: new TextEncoder().encode('1,2'), ends: Uint32Array.of(1, 3) };

function options(given: Partial<ReplayOptions> = {}): ReplayOptions {
  return {
    backlog: { addRecovered: () => {} },
    committer: { secure: async () => RANGE },
    journal: { sync: async () => {}, acknowledge: async () => {} },
    onReplayed: () => {},
    ...given,
  };
}

describe('what is replayed', () => {
  it('waits once the journal holds it', async () => {
    const seen: unknown[] = [];
    await replay(
      EVENTS,
      options({
        backlog: { addRecovered: (range) => seen.push(range) },
        onReplayed: (count) => seen.push(count),
      }),
    );
    expect(seen).toEqual([RANGE, 2]);
  });

  it('is refused in words that are true of dead letters and of events that were held', async () => {
    const committer = { secure: async () => undefined };
    await expect(replay(EVENTS, options({ committer }))).rejects.toThrow(
      /^events stay where they are: the journal fails or is full$/,
    );
  });

  it('is released again where it may not survive a power cut', async () => {
    const released: Range[] = [];
    const journal = {
      sync: () => Promise.reject(new Error('a disk that fails')),
      acknowledge: async (range: Range) => void released.push(range),
    };
    await expect(replay(EVENTS, options({ journal }))).rejects.toThrow(
      'events stay where they are: a disk that fails',
    );
    expect(released).toEqual([RANGE]);
  });
});
