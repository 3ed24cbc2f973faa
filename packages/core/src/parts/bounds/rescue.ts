import { allOf, type Range, rangeLength, without } from '../../base/range.ts';
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
      for (const unneeded of move(moved, written, waiting)) await journal.acknowledge(unneeded);
      bytes += events.bytes.length;
    }
    from += Math.max(1, rangeLength(read));
  }
  return bytes;
}

/** The journal has the events of a range in another one now. Returns the parts of that which nobody needs. */
function move(range: Range, target: Range, waiting: Waiting): Range[] {
  let rest = [target];
  const { segment, from, to } = target;
  for (const { places } of waiting.all()) {
    for (const span of places.find(range)) {
      places.change(span, (run) => {
        const first = run.from - range.from + from;
        const moved = { segment, from: first, to: Math.min(to, first + rangeLength(run)) };
        rest = rest.flatMap((part) => without(part, moved));
        return moved;
      });
    }
  }
  return rest;
}
