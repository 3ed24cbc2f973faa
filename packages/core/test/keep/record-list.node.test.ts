import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { encodeEvents } from '../../src/base/event-bytes.ts';
import { type Kept, type Piece, RecordList, readPieces } from '../../src/keep/record-list.ts';

interface Named extends Kept {
  readonly name: string;
}

function named(from: number, to: number, name = `${from}-${to}`): Named {
  return { from, to, bytes: (to - from) * 10, rest: [{ from, to }], name };
}

function listOf(...bounds: readonly number[]): RecordList<Named> {
  const list = new RecordList<Named>();
  bounds.slice(1).forEach((to, index) => {
    const from = bounds[index] ?? 0;
    list.add(named(from, to));
  });
  return list;
}

/** Releases events. Returns what is completely released. */
function release(list: RecordList<Named>, from: number, to: number): Named[] {
  return list.release({ from, to }).filter(({ rest }) => rest.length === 0);
}

/** The record that holds an event that is not released. */
function find(list: RecordList<Named>, index: number): Named | undefined {
  return list.within({ from: index, to: index + 1 }, { maxEvents: 1, maxBytes: 1 })[0];
}

function names(records: readonly Named[]): string[] {
  return records.map(({ name }) => name);
}

describe('RecordList', () => {
  it('finds the record that holds an event', () => {
    const list = listOf(10, 13, 14, 20);
    const found = [9, 10, 12, 13, 14, 19, 20].map((index) => find(list, index)?.name);
    expect(found).toEqual([undefined, '10-13', '10-13', '13-14', '14-20', '14-20', undefined]);
  });

  it('finds nothing where there is nothing', () => {
    expect(find(new RecordList(), 0)).toBeUndefined();
    expect(release(new RecordList(), 0, 5)).toEqual([]);
  });

  it('tells of a record once all of its events are released, in whatever order', () => {
    const list = listOf(0, 4);
    expect(release(list, 3, 4)).toEqual([]);
    expect(release(list, 0, 1)).toEqual([]);
    expect(find(list, 0)?.name).toBe('0-4');
    expect(names(release(list, 1, 3))).toEqual(['0-4']);
    expect(find(list, 0)).toBeUndefined();
  });

  it('releases over the bounds of records', () => {
    const list = listOf(0, 4, 8, 12);
    expect(names(release(list, 2, 9))).toEqual(['4-8']);
    expect(names(release(list, 9, 12))).toEqual(['8-12']);
    expect(names(release(list, 0, 2))).toEqual(['0-4']);
  });

  it('finds the records of a range side by side, as far as all of them fit a reading, but at least one', () => {
    const list = listOf(0, 4, 8, 12);
    list.add(named(13, 15));
    const within = (from: number, to: number, maxEvents = 100, maxBytes = 1_000) =>
      names(list.within({ from, to }, { maxEvents, maxBytes }));
    expect(within(2, 100)).toEqual(['0-4', '4-8', '8-12']);
    expect(within(2, 8)).toEqual(['0-4', '4-8']);
    expect(within(2, 100, 6)).toEqual(['0-4', '4-8']);
    expect(within(2, 100, 5)).toEqual(['0-4']);
    expect(within(2, 100, 1)).toEqual(['0-4']);
    // With a comma between the two.
    expect(within(0, 100, 100, 81)).toEqual(['0-4', '4-8']);
    expect(within(0, 100, 100, 80)).toEqual(['0-4']);
    expect(within(2, 100, 100, 0)).toEqual(['0-4']);
    expect(within(12, 100)).toEqual([]);
  });

  it('still finds what waits among much that is released', () => {
    const list = listOf(...Array.from({ length: 1_001 }, (_, index) => index * 2));
    for (let record = 0; record < 1_000; record += 1) {
      if (record % 100 !== 50) release(list, record * 2, record * 2 + 2);
    }
    const waiting = Array.from({ length: 1_000 }, (_, record) => find(list, record * 2 + 1)?.name);
    expect(waiting.flatMap((name) => name ?? [])).toEqual(
      [50, 150, 250, 350, 450, 550, 650, 750, 850, 950].map((record) => `${record * 2}-${record * 2 + 2}`),
    );
  });
});

describe('pieces of records', () => {
  const piece = (from: number, ...texts: string[]) => ({ from, ...encodeEvents(texts, []) });
  const read = (from: number, to: number, pieces: Piece[], maxEvents = 100, maxBytes = 100) =>
    new TextDecoder().decode(
      readPieces({ segment: 1, from, to }, { maxEvents, maxBytes }, pieces).events.bytes,
    );

  it('are read as one, from wherever the range begins, up to the first gap', () => {
    const pieces = [piece(0, 'a', 'b', 'c'), piece(3, 'd'), piece(4, 'e', 'f'), piece(8, 'i')];
    expect(read(0, 100, pieces)).toBe('a,b,c,d,e,f');
    expect(read(2, 5, pieces)).toBe('c,d,e');
    expect(read(5, 100, pieces)).toBe('f');
    expect(read(8, 100, pieces)).toBe('i');
    expect(read(6, 100, pieces)).toBe('');
    expect(read(0, 100, [])).toBe('');
  });

  it('are read within the limit, and an event above it alone', () => {
    const pieces = [piece(0, 'aaaa', 'b'), piece(2, 'c', 'dddd')];
    expect(read(0, 100, pieces, 3)).toBe('aaaa,b,c');
    expect(read(0, 100, pieces, 100, 8)).toBe('aaaa,b,c');
    expect(read(0, 100, pieces, 100, 1)).toBe('aaaa');
    expect(read(1, 100, pieces, 100, 4)).toBe('b,c');
  });
});

describe('RecordList, next to a list of single events', () => {
  it('does the same, whatever is released when', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), size: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('release' as const), pick: fc.nat(), size: fc.nat({ max: 9 }) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const list = new RecordList<Named>();
      const records: Named[] = [];
      const waiting = new Set<number>();
      let next = 0;
      for (const step of steps) {
        if (step.kind === 'push') {
          const record = named(next, next + step.size);
          list.add(record);
          records.push(record);
          for (; next < record.to; next += 1) waiting.add(next);
        } else if (waiting.size > 0) {
          const from = [...waiting][step.pick % waiting.size] ?? 0;
          let to = from;
          // Each event is released once: the range ends before one that was already released.
          do waiting.delete(to++);
          while (waiting.has(to) && to - from < step.size);
          const done = records.filter((record) => record.from < to && record.to > from && isDone(record));
          expect(release(list, from, to)).toEqual(done);
        }
        const left = records.filter((record) => !isDone(record));
        expect(list.bytes).toBe(left.reduce((total, { bytes }) => total + bytes, 0));
        for (let index = 0; index <= next; index += 1) {
          const record = records.find(({ from, to }) => from <= index && index < to);
          expect(find(list, index)).toBe(record === undefined || isDone(record) ? undefined : record);
        }
      }

      function isDone({ from, to }: Named): boolean {
        for (let index = from; index < to; index += 1) if (waiting.has(index)) return false;
        return true;
      }
    });
    fc.assert(property, { numRuns: cases(200) });
  });
});
