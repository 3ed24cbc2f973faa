import { describe, expect, it } from 'vitest';
import { IntactRuns, scanFile } from '../../../../src/keep/file/segments/scan.ts';
import { framesOf, numbered, SEGMENT } from '../frames.ts';

const START = 32;

/** A file with these parts after a header. */
function file(...parts: Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.alloc(START), ...parts]);
}

/** Events `from` to `to` (exclusive), as they were written. */
function frames(from: number, to: number): Buffer {
  return framesOf(numbered(from, to - from), from);
}

function findIntactRuns(bytes: Buffer, id: number, start: number) {
  const found = new IntactRuns(id);
  found.add(bytes.subarray(start), start, 0);
  return { runs: found.all, damaged: found.damaged };
}

function indexes(bytes: Buffer): [number, number][] {
  return findIntactRuns(bytes, SEGMENT.id, START).runs.map(({ from, to }) => [from, to]);
}

describe('IntactRuns', () => {
  it('finds one run in a file that is intact', () => {
    expect(findIntactRuns(file(frames(3, 10)), SEGMENT.id, START)).toEqual({
      runs: [{ from: 3, to: 10, offset: START }],
      damaged: 0,
    });
  });

  it('finds nothing in nothing', () => {
    expect(findIntactRuns(file(), SEGMENT.id, START)).toEqual({ runs: [], damaged: 0 });
    expect(findIntactRuns(file(Buffer.from('garbage')), SEGMENT.id, START)).toEqual({ runs: [], damaged: 7 });
  });

  it('finds what is on both sides of damage, and says how much that is', () => {
    const bytes = file(frames(0, 2), Buffer.from('in place of two'), frames(4, 6));
    expect(findIntactRuns(bytes, SEGMENT.id, START)).toEqual({
      runs: [
        { from: 0, to: 2, offset: START },
        { from: 4, to: 6, offset: START + frames(0, 2).length + 15 },
      ],
      damaged: 15,
    });
  });

  it('begins a new run behind inserted garbage, though no event is missing', () => {
    expect(indexes(file(frames(0, 2), Buffer.from('garbage'), frames(2, 4)))).toEqual([
      [0, 2],
      [2, 4],
    ]);
  });

  it('puts what lies in another order into the order of the indexes', () => {
    expect(indexes(file(frames(4, 6), frames(0, 2), frames(2, 4)))).toEqual([
      [0, 4],
      [4, 6],
    ]);
  });

  it('counts an event once that lies in two places', () => {
    expect(indexes(file(frames(0, 6), frames(2, 4)))).toEqual([[0, 6]]);
    expect(indexes(file(frames(0, 4), frames(2, 6)))).toEqual([
      [0, 4],
      [4, 6],
    ]);
    expect(indexes(file(frames(2, 6), frames(0, 4), frames(2, 6)))).toEqual([
      [0, 4],
      [4, 6],
    ]);
  });

  it('cuts a long run, so that reading its middle does not read all before it', () => {
    const texts = numbered(0, 100, 'p'.repeat(10_000));
    const { runs } = findIntactRuns(file(framesOf(texts)), SEGMENT.id, START);
    expect(runs.length).toBeGreaterThan(5);
    expect(runs[0]?.from).toBe(0);
    expect(runs.at(-1)?.to).toBe(100);
    for (const [number, { from, offset }] of runs.entries()) {
      expect(from).toBe(runs[number - 1]?.to ?? 0);
      expect(offset).toBe(START + framesOf(texts.slice(0, from)).length);
    }
  });

  it('finds in parts of a file what it finds in all of it, wherever the parts end', () => {
    const mark = Buffer.from('fffe', 'hex');
    const bytes = file(
      ...[frames(0, 3), Buffer.from('junk'), mark, frames(5, 7).subarray(0, 40), mark, frames(7, 9)],
      ...[frames(9, 10).fill(0, 2, 6), frames(10, 12), frames(12, 13).subarray(0, 30)],
    );
    const whole = findIntactRuns(bytes, SEGMENT.id, START);
    for (let size = 1; size < bytes.length; size += 1) {
      const found = new IntactRuns(SEGMENT.id);
      let length = size;
      for (let at = START; at < bytes.length; ) {
        const rest = Math.max(0, bytes.length - at - length);
        const used = found.add(bytes.subarray(at, at + length), at, rest);
        at = rest === 0 ? bytes.length : at + used;
        length = used > 0 ? size : length * 2;
      }
      expect({ runs: found.all, damaged: found.damaged }, `parts of ${size}`).toEqual(whole);
    }
  });
});

/** Looks at a file whose header is damaged. */
function scan(bytes: Buffer): ReturnType<typeof scanFile> {
  const read = async (target: Uint8Array, position: number) => bytes.copy(target, 0, position);
  return scanFile({ read }, bytes.length, undefined);
}

describe('a file whose header is damaged', () => {
  it('is of the segment to which most of the frames belong', async () => {
    const strange = framesOf(numbered(0, 2), 0, { ...SEGMENT, id: 8 });
    expect(await scan(file(strange, Buffer.from('junk'), frames(0, 3)))).toMatchObject({
      id: SEGMENT.id,
      runs: [{ from: 0, to: 3 }],
    });
  });

  it('is of that segment also behind noise in which no two ids are the same', async () => {
    const noise = Array.from({ length: 2_000 }, (_, number) =>
      framesOf(['1'], 0, { ...SEGMENT, id: 100 + number }),
    );
    expect(await scan(file(...noise, frames(0, 3)))).toMatchObject({ id: SEGMENT.id });
  });
});
