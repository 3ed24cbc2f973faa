import type { EventBytes, Limit } from '../../base/event-bytes.ts';
import type { Range } from '../../base/range.ts';
import type { Reading } from '../../keep/journal.ts';
import type { Entry, Room, Writer } from '../../keep/journal-writer.ts';
import { type BoundsPart, bounds } from './bounds.ts';
import type { BoundedJournal, Budget } from './budget.ts';
import { fit } from './fit.ts';

/** After a process has written this part of the limit, it measures again: others may write as well. */
const MEASUREMENTS = 64;

/** For Node, where processes share a journal: `storage.maxBytes` counts what lies in its directory beside the own events. */
export const sharedBounds: BoundsPart = (options) => {
  const { journal, settings } = options;
  const { maxBytes } = settings.storage;
  if (journal.space === undefined || maxBytes === Number.POSITIVE_INFINITY) return bounds(options);
  const shared = new SharedJournal(journal, maxBytes);
  const { room, expiry } = bounds({ ...options, journal: shared });
  return { room: new SharedRoom(room, shared, maxBytes / MEASUREMENTS), expiry };
};

/** A journal, with what others take of its limit. */
class SharedJournal implements BoundedJournal {
  readonly groupLimit: Limit;
  readonly #journal: BoundedJournal;
  readonly #maxBytes: number;
  /** As last measured. */
  #otherBytes = 0;

  constructor(journal: BoundedJournal, maxBytes: number) {
    this.#journal = journal;
    this.#maxBytes = maxBytes;
    this.groupLimit = journal.groupLimit;
  }

  get bytes(): number {
    return this.#journal.bytes + this.#otherBytes;
  }

  async space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    const space = await this.#journal.space?.();
    this.#otherBytes = space?.otherBytes ?? this.#otherBytes;
    return space ?? { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY };
  }

  /** Called before events are given up: only then if others have not made room, and no damaged file can go. */
  async reclaim(): Promise<void> {
    await this.#journal.reclaim?.(this.bytes + this.groupLimit.maxBytes - this.#maxBytes);
    // If it cannot be measured, the last measurement counts.
    await this.space().catch(() => undefined);
  }

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | true | undefined> {
    return this.#journal.evictOldest?.(rescue);
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
  readonly #mostBytes: number;
  /** Bytes that were granted since the last measurement. */
  #bytes = 0;

  /** @param mostBytes After so many bytes, the journal is measured again. */
  constructor(room: Budget, journal: SharedJournal, mostBytes: number) {
    this.#room = room;
    this.#journal = journal;
    this.#mostBytes = mostBytes;
  }

  hasRoom(group: EventBytes): boolean {
    return this.#bytes < this.#mostBytes && this.#grant(group, this.#room.hasRoom(group));
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

  fit(entry: Entry, writer: Writer): Promise<number> {
    return fit(entry, writer, this);
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
