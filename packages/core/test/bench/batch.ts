import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { Contents } from '../../src/wait/contents.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { Places } from '../../src/wait/places.ts';
import { textWriter } from './text-writer.ts';

const memory = textWriter.createMemory();

/** A parcel in memory, which the journal has in a range. */
export function createBatch(events: EventBytes, range: Range): Parcel {
  return new Parcel(new Places(range), 0, false, new Contents(memory, 0).copy(events));
}

/** A part of a parcel. */
export function cutBatch(parcel: Parcel, from: number, to: number): Parcel {
  return parcel.cut({ from, to });
}
