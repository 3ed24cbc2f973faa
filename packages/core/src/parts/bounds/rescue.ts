import { allOf, type Range, rangeLength } from '../../base/range.ts';
import type { Waiting } from '../../wait/waiting.ts';
import type { BoundedJournal } from './budget.ts';

/** Copies the events of high priority that lie in a segment to another one: it is about to be given up. Returns their bytes. */
export async function rescue(
  segment: number,
  waiting: Waiting,
  journal: BoundedJournal,
  onFailed: (error: unknown) => void,
): Promise<number> {
  const found = [...waiting.within(allOf(segment))].filter(({ parcel }) => parcel.isHigh);
  let bytes = 0;
  try {
    for (const { range } of found) bytes += await copy(range, waiting, journal);
  } catch (error) {
    // What is left in the segment goes with it, and that is reported.
    onFailed(error);
  }
  return bytes;
}

async function copy(range: Range, waiting: Waiting, journal: BoundedJournal): Promise<number> {
  let bytes = 0;
  for (let { from } = range; from < range.to; ) {
    const { events, range: read } = await journal.read({ ...range, from }, journal.groupLimit);
    const count = events.ends.length;
    if (count > 0) {
      // A copy: what was read is valid only until the next reading. Not slice(): that of a Buffer copies nothing.
      const written = await journal.append({ ...events, bytes: new Uint8Array(events.bytes) });
      const moved = { ...range, from, to: from + count };
      for (const unneeded of waiting.move(moved, written)) await journal.acknowledge(unneeded);
      bytes += events.bytes.length;
    }
    from += Math.max(1, rangeLength(read));
  }
  return bytes;
}
