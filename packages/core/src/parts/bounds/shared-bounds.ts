import type { EventBytes, Limit } from '../../base/event-bytes.ts';
import type { Range } from '../../base/range.ts';
import { MOST_OF_DISK } from '../../keep/file/segment-size.ts';
import type { Reading } from '../../keep/journal.ts';
import type { Entry, Room, Writer } from '../../keep/journal-writer.ts';
import { FORSAKEN, HANDED, NOWHERE } from '../../wait/places.ts';
import type { Handed } from '../../wait/unwritten.ts';
import type { Waiting } from '../../wait/waiting.ts';
import { type BoundsPart, bounds } from './bounds.ts';
import type { BoundedJournal, Budget } from './budget.ts';
import { fit } from './fit.ts';

type Volume = Awaited<ReturnType<NonNullable<BoundedJournal['space']>>>;

/** After a process has written this part of the limit, it measures again: others may write as well. */
const MEASUREMENTS = 64;

/** Default of `storage.maxBytes` in Node, if that is less than `MOST_OF_DISK`. */
export const MOST_BYTES: number = 2 ** 30;

/** For Node, where processes share a journal: `storage.maxBytes` counts what lies in its directory beside the own events. */
export const sharedBounds: BoundsPart = (options) => {
  const { journal, opened, settings, waiting } = options;
  if (journal.space === undefined) return bounds(options);
  const shared = new SharedJournal(journal, opened, settings.storage.maxBytes, () => isGivenUp(waiting));
  const { room, expiry } = bounds({ ...options, journal: shared, most: () => shared.most });
  return { room: new SharedRoom(room, shared), expiry };
};

/** Whether `close()` ran out of time: the tracker gave up, and counted, what no journal holds. */
function isGivenUp({ inFlight, lines, pending }: Waiting): boolean {
  return pending < lines.reduce((all, { queue }) => all + queue.fresh + queue.stored, inFlight);
}

/** What the journal does not have of a parcel is counted as `closed`. No more of it is given to the journal. */
function forsake(entry: Entry): void {
  // The cast is safe: only what waits asks for room in this way.
  const { parcel, queue } = entry as Handed;
  for (const mark of [NOWHERE, HANDED])
    for (const span of parcel.places.marked(mark)) parcel.places.mark(span, FORSAKEN);
  queue.changed(parcel);
}

const UNKNOWN: Volume = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY };

/** A journal, with what others take of its limit. */
class SharedJournal implements BoundedJournal {
  readonly groupLimit: Limit;
  readonly #journal: BoundedJournal;
  readonly #opened: () => Promise<void>;
  readonly #isDefault: boolean;
  /** Whether nothing may be written any more. */
  readonly isOver: () => boolean;
  /** What the journal may take, in bytes. */
  most: number;
  /** As last measured. */
  #otherBytes = 0;

  /** @param opened Resolves once the journal knows what previous processes left in it. */
  constructor(
    journal: BoundedJournal,
    opened: () => Promise<void>,
    maxBytes: number | undefined,
    isOver: () => boolean,
  ) {
    this.#journal = journal;
    this.#opened = opened;
    this.isOver = isOver;
    this.#isDefault = maxBytes === undefined;
    this.most = maxBytes ?? MOST_BYTES;
    this.groupLimit = journal.groupLimit;
  }

  get bytes(): number {
    return this.#journal.bytes + this.#otherBytes;
  }

  async space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    const space = (await this.#journal.space?.()) ?? UNKNOWN;
    this.#otherBytes = space.otherBytes ?? this.#otherBytes;
    if (this.#isDefault) this.most = Math.min(MOST_BYTES, space.totalBytes * MOST_OF_DISK);
    return space;
  }

  /** Called before events are given up: only then if others have not made room, and no damaged file can go. */
  async reclaim(): Promise<void> {
    await this.#opened();
    await this.#journal.reclaim?.(this.bytes + this.groupLimit.maxBytes - this.most);
    // If it cannot be measured, the last measurement counts.
    await this.space().catch(() => undefined);
  }

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | true | undefined> {
    return this.isOver() ? undefined : this.#journal.evictOldest?.(rescue);
  }

  append(events: EventBytes): Promise<Range> {
    return this.#journal.append(events);
  }

  read(range: Range, limit: Limit): Promise<Reading> {
    return this.#journal.read(range, limit);
  }

  acknowledge(range: Range): Promise<void> {
    return this.#journal.acknowledge(range);
  }
}

/** Room in a journal that others fill, too. */
class SharedRoom implements Room {
  readonly #room: Budget;
  readonly #journal: SharedJournal;
  /** Bytes that were granted since the last measurement. */
  #bytes = 0;

  constructor(room: Budget, journal: SharedJournal) {
    this.#room = room;
    this.#journal = journal;
  }

  /** After so many bytes, the journal is measured again. */
  get #mostBytes(): number {
    return this.#journal.most / MEASUREMENTS;
  }

  hasRoom(group: EventBytes): boolean {
    const mayAsk = !this.#journal.isOver() && this.#bytes < this.#mostBytes;
    return mayAsk && this.#grant(group, this.#room.hasRoom(group));
  }

  async makeRoom(group: EventBytes, isLast?: boolean): Promise<'room' | 'full' | 'low'> {
    if (this.#bytes >= this.#mostBytes) {
      this.#bytes = 0;
      await this.#journal.space().catch(() => undefined);
    }
    const answer = await this.#room.makeRoom(group, isLast);
    this.#grant(group, answer === 'room');
    return answer;
  }

  fit(entry: Entry, writer: Writer): Promise<number | undefined> {
    const { isOver } = this.#journal;
    const makeRoom = async (group: EventBytes, isLast?: boolean) => {
      try {
        return isOver() ? 'full' : await this.makeRoom(group, isLast);
      } finally {
        if (isOver() && writer.entries.delete(entry)) forsake(entry);
      }
    };
    const fitting = (group: EventBytes) => this.fitting(group);
    return fit(entry, writer, { makeRoom, fitting, written: (group) => this.written(group) });
  }

  fitting(group: EventBytes): number {
    return this.#room.fitting(group);
  }

  written(group: EventBytes): void {
    this.#room.written(group);
  }

  #grant({ bytes }: EventBytes, isGranted: boolean): boolean {
    if (isGranted) this.#bytes += bytes.length;
    return isGranted;
  }
}
