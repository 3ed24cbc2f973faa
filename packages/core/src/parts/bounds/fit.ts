import { StorageError } from '../../base/errors/storage-error.ts';
import type { EventBytes } from '../../base/event-bytes.ts';
import type { Entry, Room, Writer } from '../../keep/journal-writer.ts';
import { FORSAKEN, HANDED } from '../../wait/places.ts';
import type { Handed } from '../../wait/unwritten.ts';

/** Room in a journal. */
interface Rooms extends Pick<Room, 'makeRoom' | 'written'> {
  /** How many events of a group, from the first one on, there is room for. */
  fitting(group: EventBytes): number;
}

/** As `Room.fit`. */
export async function fit(entry: Entry, writer: Writer, room: Rooms): Promise<number | undefined> {
  const { reporter } = writer.options;
  const { events } = entry;
  // The cast is safe: only what waits asks for room in this way.
  const handed = entry as Handed;
  writer.entries.add(entry);
  const found = await room.makeRoom(events, handed.parcel.isHigh).catch((error: unknown) => ({ error }));
  if (!writer.entries.delete(entry)) {
    // The process outlived a last moment, which wrote them.
    if (found === 'room') room.written(events);
  } else if (found === 'room') {
    writer.append(entry);
  } else if (found === 'full') {
    // The oldest of the newest are kept, so that no event is dropped before an older one.
    const fitting = room.fitting(events);
    if (fitting > 0) {
      entry.handBack();
      return fitting;
    }
    reporter.settled('journal-full', drop(handed));
  } else {
    entry.handBack();
    writer.fail(found === 'low' ? new StorageError('too little room is left on the disk') : found.error);
  }
  return undefined;
}

/** The journal is full: the events end. Returns how many had not ended before. */
export function drop({ parcel, queue }: Handed): number {
  // Its events have ended, or go on in other parcels.
  if (parcel.state === 'ended') return 0;
  const spans = parcel.places.marked(HANDED);
  // In a request, or until its next try: it goes on in memory.
  if (parcel.state === 'out') {
    for (const span of spans) parcel.places.mark(span, FORSAKEN);
    queue.changed(parcel);
    return 0;
  }
  const dropped = queue.remove(parcel, spans);
  queue.recount();
  return dropped;
}
