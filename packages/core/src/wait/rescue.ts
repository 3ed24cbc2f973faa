import { type Range, rangeLength, without } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Parcels } from './parcels.ts';

/** Whether events wait in a segment, and all of them wait alone. */
export function hasOnlyAlone(segment: number, parcels: Pick<Parcels, 'all'>): boolean {
  let hasAny = false;
  for (const { isAlone, places } of parcels.all()) {
    if (!places.ranges.some((range) => range.segment === segment)) continue;
    if (!isAlone) return false;
    hasAny = true;
  }
  return hasAny;
}

/**
 * Copies the events of high priority from a range that is about to be given up. If that is a whole segment, those that wait alone, too:
 * of parts, nobody can tell when only such are left. Returns their bytes.
 *
 * @param isAll Copies all events, and rejects if that fails.
 */
export async function rescue(
  gone: Range,
  parcels: Pick<Parcels, 'all'>,
  journal: Journal,
  onFailed: (error: unknown) => void,
  isAll: boolean,
): Promise<number> {
  const isWhole = gone.to === Number.POSITIVE_INFINITY;
  const last = [...parcels.all()].filter(({ isAlone, isHigh }) => isAll || (isAlone && isWhole) || isHigh);
  const found = last.flatMap(({ places }) => places.find(gone).flatMap((span) => places.slice(span).ranges));
  let bytes = 0;
  try {
    for (const range of found) bytes += await copy(range, parcels, journal);
    // Before what was copied is deleted.
    if (bytes > 0) await journal.sync();
  } catch (error) {
    if (isAll) throw error;
    // The events that are left in the segment go with it, and are reported.
    onFailed(error);
  }
  return bytes;
}

async function copy(range: Range, parcels: Pick<Parcels, 'all'>, journal: Journal): Promise<number> {
  let bytes = 0;
  for (let { from } = range; from < range.to; ) {
    const { events, range: read } = await journal.read({ ...range, from }, journal.groupLimit);
    const count = events.ends.length;
    if (count > 0) {
      // A copy: what was read is valid only until the next reading. Not slice(): that of a Buffer copies nothing.
      const written = await journal.append({ ...events, bytes: new Uint8Array(events.bytes) });
      const moved = { ...range, from, to: from + count };
      // Some may have ended meanwhile: nobody needs their copies.
      let unneeded = [written];
      for (const { places } of parcels.all())
        for (const used of places.move(moved, written))
          unneeded = unneeded.flatMap((part) => without(part, used));
      for (const part of unneeded) await journal.acknowledge(part);
      bytes += events.bytes.length;
    }
    from += Math.max(1, rangeLength(read));
  }
  return bytes;
}
