/**
 * The interface between the tracker and its durable log. A journal is an append-only log of segments. A segment number and an
 * index in the segment identify an event. Every implementation passes `@sluice/core/journal-contract`.
 */

import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range, Span } from '../base/range.ts';

/** What `Journal.read` found at the start of a range. */
export interface Reading {
  /** Events from index `range.from` on. If there are none, `range` holds no intact event any more. */
  readonly events: EventBytes;
  /** The part of the requested range that this reading covers. It starts where the requested range starts. */
  readonly range: Range;
}

/** Callbacks from the journal to its tracker. The journal may call them at any time from the call of `open()` on. */
export interface JournalObserver {
  /**
   * The journal found events of another process, for example of one that crashed or was closed. This tracker must deliver them.
   *
   * @param at When the oldest of them was accepted, or a time before that, in milliseconds since 1970. Undefined if
   *   unknown.
   */
  recovered(range: Range, at?: number): void;
  /**
   * Events reached their end outside this tracker: another process that shares the journal settled them, or `evictOldest` gave up a
   * part of a segment. This tracker may not know some of them, or may have settled them already. With `journal-full`, it goes
   * on with those in requests, from memory.
   */
  settled?(range: Range, fate: Fate): void;
  /** The journal found stored bytes that are not intact events. It skipped them and kept them aside. */
  damaged(place: string, bytes: number): void;
  /** Events disappeared from storage while the journal was open. The tracker must append those again that are still in memory. */
  vanished?(range: Range): void;
  /** An operation failed. No event was lost, and the journal continues to work. */
  failed(error: Error): void;
}

/**
 * For a journal whose events others may take over while this process goes on, for example because it was stopped for too long: says
 * when its tracker may send them.
 */
interface Sharing {
  /** Whether requests may be made now. Asked before each of them. */
  readonly maySend: boolean;
  /** Sets what is called when `maySend` has changed. If it is false now, events that failed wait again when this returns. */
  listen(listener: () => void): void;
  /** A request is made. The returned function is called when it has ended, and its events wait again if it failed meanwhile. */
  request(): () => void;
}

/**
 * A durable log of events. Methods may be called before `open()` has resolved.
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: new MyJournal() });
 */
export interface Journal {
  /** What `stats().journal` shows: `file`, `sqlite`, `memory`, or a name of your own. */
  readonly kind: string;
  /** Whether the next process finds the events after this one is gone. */
  readonly survives: boolean;
  /** Size of its events in storage, in bytes. */
  readonly bytes: number;
  /** Number of appended events that are in memory only, because storage failed later. Absent if this cannot happen. */
  readonly unsaved?: number;
  /** The largest group that one `append` takes. */
  readonly groupLimit: Limit;

  /**
   * A second journal in the same storage, for the dead letters or for the held events of its tracker, which closes it too.
   * Absent, or undefined: they are kept in memory.
   */
  part?(name: 'dead-letters' | 'unidentified'): Journal | undefined;

  /**
   * Opens the storage and reports the events that previous processes left there.
   *
   * @throws Rejects with a StorageError if it cannot.
   */
  open(observer: JournalObserver): Promise<void>;

  /**
   * Writes a group of events, all or none. Resolves once they survive the end of the process. Calls may overlap: groups are
   * written in the order of the calls. `events.bytes` is valid only until the promise settles.
   *
   * @throws Rejects with a StorageError, and then keeps nothing of the group.
   */
  append(events: EventBytes): Promise<Range>;

  /**
   * Like `append`, but synchronous, for the last moment of a process. The caller first passes the events of appends that are
   * still pending, the oldest first. The journal must not store those twice: the pending appends reject. Absent if storage
   * cannot do this.
   */
  appendSync?(events: EventBytes): Range;

  /**
   * Reads intact, consecutive events from the start of a range.
   *
   * @throws Rejects with a StorageError if storage fails.
   */
  read(range: Range, limit: Limit): Promise<Reading>;

  /**
   * Releases events for good. Ranges may come in any order; each event is released once. If a release is lost, events are
   * delivered twice; no event is lost.
   */
  acknowledge(range: Range): Promise<void>;

  /**
   * Resolves once all events that were appended before survive a power cut.
   *
   * @throws Rejects with a StorageError if they may not.
   */
  sync(): Promise<void>;

  /**
   * Frees storage: gives up its oldest segment, even if events in it are not delivered. Resolves to the number of the
   * segment; to undefined if there is none; to true if it gave up only a part of a segment and told the observer so
   * (`settled` with `journal-full`). Absent if storage has no limit of its own.
   *
   * @param rescue Called with the segment, and awaited, before the segment is given up. It reads the events that must be
   *   kept and appends them again. If only a part of the segment is given up, that is the second argument.
   */
  evictOldest?(rescue?: (segment: number, part?: Span) => Promise<void>): Promise<number | true | undefined>;

  /**
   * The segment that `evictOldest` gives up next; undefined if that is not known yet, or new events go to it. Absent if it gives up
   * parts of segments: then no event that is probably at fault is copied with `drop-newest`, and each holds on to its segment.
   */
  readonly oldest?: number | undefined;

  /** Absent if nobody else sends the events that this journal has, or has told of. */
  readonly sharing?: Sharing | undefined;

  /**
   * Frees storage that holds only released events. Absent if there is never any.
   *
   * @param bytes How many bytes are needed: files that were set aside as damaged go, the oldest first, until so many are free.
   *   Default: 0.
   */
  reclaim?(bytes?: number): Promise<void>;

  /**
   * Free and total space of the disk or other storage, in bytes. `otherBytes`: what else counts against the size limit of the
   * journal, beside `bytes`, such as the events of other processes; absent if nothing does. Absent if that cannot be known.
   */
  space?(): Promise<{
    readonly freeBytes: number;
    readonly totalBytes: number;
    readonly otherBytes?: number;
  }>;

  /** Closes the journal and frees its place. Events that are not acknowledged stay for the next process. */
  close(): Promise<void>;
}

/** Syncs events that were copied from elsewhere. If that fails, releases the copies, and rejects with a StorageError. */
export async function syncCopies(journal: Journal, range: Range): Promise<void> {
  try {
    await journal.sync();
  } catch (cause) {
    await journal.acknowledge(range).catch(() => undefined);
    throw storageError('events stay where they are', cause);
  }
}

/** The range if it fits the events, or an error: a custom journal may be wrong. */
export function checked(
  range: Range | undefined,
  { ends }: EventBytes,
): [range: Range | undefined, error?: StorageError] {
  if (range !== undefined && range?.to - range?.from === ends.length) return [range];
  return [undefined, new StorageError('the journal gave no range')];
}

/** Calls a custom journal safely: if it throws, the returned promise rejects. */
export function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * When the journal syncs written events to the disk, so that they survive a power cut. In every mode they survive the end of
 * the process.
 * - `always`: before they count as written. One sync serves all waiting appends.
 * - `interval`: within 100 ms or 1 MiB, whichever comes first.
 * - `never`: the operating system decides when.
 */
export type Fsync = 'always' | 'interval' | 'never';
