import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, ChunkList } from '../../src/keep/chunk-list.ts';

interface Named extends Chunk {
  readonly name: string;
}

function listOf(...bounds: readonly number[]): ChunkList<Named> {
  const list = new ChunkList<Named>();
  bounds.slice(1).forEach((to, index) => {
    const from = bounds[index] ?? 0;
    list.push({ from, to, bytes: (to - from) * 10, name: `${from}-${to}` });
  });
  return list;
}

function names(chunks: readonly Named[]): string[] {
  return chunks.map(({ name }) => name);
}

const SEGMENT = 1;

describe('ChunkList', () => {
  it('finds the chunk that holds an event', () => {
    const list = listOf(10, 13, 14, 20);
    const found = [9, 10, 12, 13, 14, 19, 20].map((index) => list.find(index)?.name);
    expect(found).toEqual([undefined, '10-13', '10-13', '13-14', '14-20', '14-20', undefined]);
  });

  it('finds nothing where there is nothing', () => {
    expect(new ChunkList().find(0)).toBeUndefined();
    expect(new ChunkList().acknowledge({ segment: SEGMENT, from: 0, to: 5 })).toEqual([]);
  });

  it('tells of a chunk once all of its events are acknowledged, in whatever order', () => {
    const list = listOf(0, 4);
    expect(list.acknowledge({ segment: SEGMENT, from: 3, to: 4 })).toEqual([]);
    expect(list.acknowledge({ segment: SEGMENT, from: 0, to: 1 })).toEqual([]);
    expect(list.find(0)?.name).toBe('0-4');
    expect(names(list.acknowledge({ segment: SEGMENT, from: 1, to: 3 }))).toEqual(['0-4']);
    expect(list.find(0)).toBeUndefined();
  });

  it('acknowledges over the bounds of chunks', () => {
    const list = listOf(0, 4, 8, 12);
    expect(names(list.acknowledge({ segment: SEGMENT, from: 2, to: 9 }))).toEqual(['4-8']);
    expect(names(list.acknowledge({ segment: SEGMENT, from: 9, to: 12 }))).toEqual(['8-12']);
    expect(names(list.acknowledge({ segment: SEGMENT, from: 0, to: 2 }))).toEqual(['0-4']);
  });

  it('finds the chunks of a range side by side, as far as a reading goes', () => {
    const list = listOf(0, 4, 8, 12);
    list.push({ from: 13, to: 15, bytes: 20, name: '13-15' });
    const within = (from: number, to: number, maxEvents = 100, maxBytes = 1_000) =>
      names(list.within({ segment: SEGMENT, from, to }, { maxEvents, maxBytes }));
    expect(within(2, 100)).toEqual(['0-4', '4-8', '8-12']);
    expect(within(2, 8)).toEqual(['0-4', '4-8']);
    expect(within(2, 100, 3)).toEqual(['0-4', '4-8']);
    expect(within(2, 100, 100, 40)).toEqual(['0-4']);
    expect(within(2, 100, 100, 0)).toEqual(['0-4']);
    expect(within(12, 100)).toEqual([]);
  });

  it('still finds what waits among much that is released', () => {
    const list = listOf(...Array.from({ length: 1_001 }, (_, index) => index * 2));
    for (let chunk = 0; chunk < 1_000; chunk += 1) {
      if (chunk % 100 !== 50) list.acknowledge({ segment: SEGMENT, from: chunk * 2, to: chunk * 2 + 2 });
    }
    const waiting = Array.from({ length: 1_000 }, (_, chunk) => list.find(chunk * 2 + 1)?.name);
    expect(waiting.flatMap((name) => name ?? [])).toEqual(
      [50, 150, 250, 350, 450, 550, 650, 750, 850, 950].map((chunk) => `${chunk * 2}-${chunk * 2 + 2}`),
    );
  });
});

describe('ChunkList, next to a list of single events', () => {
  it('does the same, whatever is acknowledged when', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), size: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('acknowledge' as const), pick: fc.nat(), size: fc.nat({ max: 9 }) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const list = new ChunkList<Named>();
      const chunks: Named[] = [];
      const waiting = new Set<number>();
      let next = 0;
      for (const step of steps) {
        if (step.kind === 'push') {
          const chunk = { from: next, to: next + step.size, bytes: 1, name: `${next}` };
          list.push(chunk);
          chunks.push(chunk);
          for (; next < chunk.to; next += 1) waiting.add(next);
        } else if (waiting.size > 0) {
          const from = [...waiting][step.pick % waiting.size] ?? 0;
          let to = from;
          // Each event is acknowledged once: the range ends before one that was already acknowledged.
          do waiting.delete(to++);
          while (waiting.has(to) && to - from < step.size);
          const done = chunks.filter((chunk) => chunk.from < to && chunk.to > from && isDone(chunk));
          expect(list.acknowledge({ segment: SEGMENT, from, to })).toEqual(done);
        }
        for (let index = 0; index <= next; index += 1) {
          const chunk = chunks.find(({ from, to }) => from <= index && index < to);
          expect(list.find(index)).toBe(chunk === undefined || isDone(chunk) ? undefined : chunk);
        }
      }

      function isDone({ from, to }: Named): boolean {
        for (let index = from; index < to; index += 1) if (waiting.has(index)) return false;
        return true;
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
