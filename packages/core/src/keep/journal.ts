/**
 * The interface between the tracker and its durable log. A journal is an append-only log of segments. A segment number and an
 * index in the segment identify an event. Every implementation passes `@sluice/core/journal-contract`.
 */

import { storageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range } from '../base/range.ts';
import type { SharedPause } from '../pace/shared-pause.ts';

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
   * The journal found events of another process or page, for example of one that crashed or was closed. This tracker must
   * deliver them.
   *
   * @param at When the oldest of them was accepted, or a time before that, in milliseconds since 1970. Undefined if
   *   unknown.
   * @param wasSent Whether they were in a request of that process or page, which did not record the outcome. The service
   *   may have them.
   */
  recovered(range: Range, at?: number, wasSent?: boolean): void;
  /**
   * Events reached their end outside this tracker: another process or page that shares the journal settled them, or
   * `evictOldest` gave up a part of a segment. This tracker may not know some of them, or may have settled them already.
   */
  settled?(range: Range, fate: Fate): void;
  /** The journal found stored bytes that are not intact events. It skipped them and kept them aside. */
  damaged(place: string, bytes: number): void;
  /**
   * Events disappeared from storage while the journal was open. Before this returns, the tracker must pass those that are still in
   * memory to `restore`. If there is no `restore`, or it rejects, the tracker must append them again.
   */
  vanished?(range: Range): void;
  /** An operation failed. No event was lost, and the journal continues to work. */
  failed(error: Error): void;
}

/**
 * What a process or page that shares the journal does.
 * - `waits`: it has appended events.
 * - `works`: it works on the events in the journal, see `Sharing.hold`.
 * - `rests`: it left nothing to deliver.
 */
export type Activity = 'waits' | 'works' | 'rests';

/**
 * How processes or pages use one journal at the same time. Each may append at any time. Only one at a time works on the
 * events that all of them left.
 */
export interface Sharing {
  /** The pause that the last worker stored, as of the last `refresh()` or `setPause()`. */
  readonly pause: SharedPause | undefined;
  /** Whether this page is being left: the browser ends its requests, or goes on with them without it. */
  readonly isLeft?: boolean;
  /**
   * Runs `work` while no other process or page does. Rejects with the error of `work`. It also rejects:
   * - if `signal` aborts before `work` starts;
   * - with a signal, if the page is hidden and another one works, or if the page is hidden, shown or left while it waits;
   * - with a signal, if the page is frozen during the work. Others may then work from that moment on.
   */
  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Reports to the observer what other processes or pages left and what they settled. Rejects with a StorageError. */
  refresh(): Promise<void>;
  /** Stores for later workers until when they must not send requests to the service. `undefined` removes the pause. */
  setPause(pause: SharedPause | undefined): Promise<void>;
  /**
   * Others do not send these events for `forMs` milliseconds: they are in a request. 0 ends that. The write begins before this
   * returns. Absent if a worker always sees the answers to its requests.
   *
   * @param isAppending Whether events of pending appends are in that request, too.
   */
  lease?(ranges: readonly Range[], forMs: number, isAppending?: boolean): void;
  /** Sends this activity to the other processes or pages. */
  tell(activity: Activity): void;
  /** Sets the listener for the activity of other processes or pages. `life` is the id of one of them. */
  listen(listener: (life: string, activity: Activity) => void): void;
}

/**
 * A durable log of events. Methods may be called before `open()` has resolved.
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: new MyJournal() });
 */
export interface Journal {
  /** What `stats().journal` shows: `file`, `indexeddb`, `memory`, or a name of your own. */
  readonly kind: string;
  /** Whether the next process or page finds the events after this one is gone. */
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
   * Opens the storage and reports the events that previous processes or pages left there.
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
   * Calls `work`. Before it returns, it gives storage all events that `work` appended, as one write: the page may close next,
   * and a write that still waits behind another one is lost then. Absent if separate appends are equally safe.
   */
  together?<Result>(work: () => Result): Result;

  /**
   * How long a group that is large enough for its own write waits for more events, in milliseconds: one write with `together`
   * costs less. Absent or 0: it does not wait.
   */
  readonly gatherMs?: number;

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
   *
   * @param fate The fate that others who share the journal are told. Default: `delivered`.
   */
  acknowledge(range: Range, fate?: Fate): Promise<void>;

  /**
   * Writes vanished events again, in their old place. Others may have the same events in memory and restore them too: storage
   * still holds each event once. Absent if segments never vanish.
   *
   * @throws Rejects with a StorageError, and then keeps nothing.
   */
  restore?(lost: readonly Reading[]): Promise<void>;

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
   *   kept and appends them again.
   */
  evictOldest?(rescue?: (segment: number) => Promise<void>): Promise<number | true | undefined>;

  /**
   * Absent if no two processes or pages use the journal at the same time, or if nothing coordinates them: then each one sends
   * all events that it knows of.
   */
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

  /** Closes the journal and frees its place. Events that are not acknowledged stay for the next process or page. */
  close(): Promise<void>;
}

/** How long other pages wait for the answer to a request, in milliseconds, if its time-out is not longer. */
export const LEASE_MS: number = 30_000;

/** Calls `work`. Its appends become one write if the journal can do that. */
export function together<Result>(journal: Journal, work: () => Result): Result {
  return journal.together ? journal.together(work) : work();
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
