import { StorageError } from '../../base/errors/storage-error.ts';
import type { EventBytes } from '../../base/event-bytes.ts';
import type { Entry, Room, Writer } from '../../keep/journal-writer.ts';

/** Room in a journal. */
interface Rooms extends Pick<Room, 'makeRoom' | 'written'> {
  /** How many events of a group, from the first one on, there is room for. */
  fitting(group: EventBytes): number;
}

/** As `Room.fit`. */
export async function fit(entry: Entry, writer: Writer, room: Rooms): Promise<number> {
  const { journal, reporter } = writer.options;
  const { events } = entry;
  writer.entries.add(entry);
  const found = await room.makeRoom(events, entry.isLast).catch((error: unknown) => ({ error }));
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
    reporter.settled('journal-full', entry.drop());
  } else {
    entry.handBack();
    writer.fail(found === 'low' ? new StorageError('too little room is left on the disk') : found.error);
    return 0;
  }
  return journal.groupLimit.maxEvents;
}
