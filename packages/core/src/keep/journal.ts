/**
 * The seam between the tracker and whatever keeps its events safe. A journal is an append-only log of segments;
 * an event is known by its segment and its index in it. Every implementation passes the contract suite in
 * `test/contracts/journal-contract.ts`.
 */

import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range } from '../base/range.ts';
import type { SharedPause } from '../pace/shared-pause.ts';

/** What `Journal.read` found at the start of a range. */
export interface Reading {
  /** Events from index `range.from` on. Where there are none, `range` holds no intact event any more. */
  readonly events: EventBytes;
  /** The part of the asked range that this reading covers. It starts where the asked range starts. */
  readonly range: Range;
}

/** What a journal tells its tracker, at any time from `open()` on. */
export interface JournalObserver {
  /**
   * Events of another life (a crashed process, a closed tab) were found and are this tracker's to deliver.
   *
   * @param at When the oldest of them was accepted, or a time before that, in milliseconds since 1970, where that is known.
   * @param wasSent Whether they were in a request whose outcome that life never told.
   */
  recovered(range: Range, at?: number, wasSent?: boolean): void;
  /** Another life that shares the journal saw events to their end. Some of them may be unknown, or ended already. */
  settled?(range: Range, fate: Fate): void;
  /** Stored bytes are not intact events; they were skipped and kept aside. */
  damaged(place: string, bytes: number): void;
  /**
   * All of a segment is gone from storage, under the journal: what memory still holds of it is to be given to `restore` before
   * this returns, or where there is none, or it fails, appended again.
   */
  vanished?(segment: number): void;
  /** Something failed that lost no event and stopped nothing. */
  failed(error: Error): void;
}

/** A life that shares the journal has appended events, is at work on what the journal holds, or left nothing in it. */
export type Activity = 'waits' | 'works' | 'rests';

/** How lives that use one journal at the same time get along: each appends, one at a time works on what all have left. */
export interface Sharing {
  /** As the last one to work said. */
  readonly pause: SharedPause | undefined;
  /**
   * Works while no other life does. Rejects with what the work rejects with, or where there was none: the signal aborted, or
   * the page is hidden, and was given a signal, and another one works. Also where it was given one, and the page is frozen:
   * then others may work from there on.
   */
  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Tells the observer what other lives left, and what they settled. Rejects with a StorageError. */
  refresh(): Promise<void>;
  /** Tells those who work later when the service may be asked. */
  setPause(pause: SharedPause | undefined): Promise<void>;
  /** Tells the other lives. */
  tell(activity: Activity): void;
  /** Is told what other lives do. */
  listen(listener: (life: string, activity: Activity) => void): void;
}

/** A durable log of events. Methods may be called before `open()` has resolved. */
export interface Journal {
  /** What `stats().journal` shows: `file`, `indexeddb`, `memory`, or a name of your own. */
  readonly kind: string;
  /** Whether what it holds is still there for the next life, after this process or page is gone. */
  readonly survives: boolean;
  /** Bytes that its events take in storage. */
  readonly bytes: number;
  /** Events that it holds in memory alone, because storage failed on them later. Absent where that is never any. */
  readonly unsaved?: number;
  /** The most that it takes in one append. */
  readonly groupLimit: Limit;
  /** Whether `append` has copied the events when it returns. Left out where that is not sure. */
  readonly copies?: boolean;

  /** Takes the place in storage and reports what earlier lives left there. Rejects with a StorageError where it cannot. */
  open(observer: JournalObserver): Promise<void>;

  /**
   * Writes events, all or none. Resolves once they survive the death of the process. Calls may overlap: groups are
   * written in the order of the calls. `events.bytes` is only valid until it resolves. Rejects with a StorageError;
   * nothing of the group is then kept.
   *
   * @param holdMs They are in a request at the same time, and others who deliver from here are to wait for its answer: so long,
   *   in milliseconds, up to `MOST_HOLD_MS`. Left out where they are in none.
   */
  append(events: EventBytes, holdMs?: number): Promise<Range>;

  /**
   * Calls `work`, and before this returns writes all that is appended in it in one go: the page may be gone next, and what is
   * still in line behind another write with it. Absent where each append is as safe by itself.
   */
  together?<Result>(work: () => Result): Result;

  /**
   * How long what is enough for a write of its own is to wait for more, in milliseconds, because to write it `together` costs
   * less. Absent, or 0: not at all.
   */
  readonly gatherMs?: number;

  /**
   * As `append`, without giving up the thread: for the last moment of a process. Is also given the events of appends that
   * have not resolved yet, from the first on, and must not hold them twice: these reject. Absent where storage cannot do this.
   */
  appendSync?(events: EventBytes): Range;

  /** Reads intact, consecutive events from the start of a range. Rejects with a StorageError where storage fails. */
  read(range: Range, limit: Limit): Promise<Reading>;

  /**
   * Releases events for good. Ranges come in any order, each event once. Losing a release costs a duplicate, no event.
   *
   * @param fate What those who share the journal are told. Default: `delivered`.
   */
  acknowledge(range: Range, fate?: Fate): Promise<void>;

  /**
   * Writes events again that vanished, in their place: others may have them in memory too, and write them again; they are there
   * once. Rejects with a StorageError; nothing is then kept. Absent where no segment ever vanishes.
   */
  restore?(lost: readonly Reading[]): Promise<void>;

  /** Resolves once all that was appended before survives a power cut. Rejects with a StorageError where it may not. */
  sync(): Promise<void>;

  /**
   * Frees storage by giving up its oldest segment, whatever waits in it. Resolves to the segment; to undefined where there
   * is none; to true where it gave up a part of one, and told the observer so (`settled`, `journal-full`). Absent where
   * storage has no bound of its own.
   *
   * @param rescue Called with the segment before it is given up, and awaited: reads and appends what is not to go with it.
   */
  evictOldest?(rescue?: (segment: number) => Promise<void>): Promise<number | true | undefined>;

  /** Absent where no two lives use it at the same time, or nothing keeps them apart: then each sends what it knows of. */
  readonly sharing?: Sharing | undefined;

  /** Frees what storage still takes of events that are all released. Absent where that is never any. */
  reclaim?(): Promise<void>;

  /** The room left in what it is stored on, in bytes. Absent where that cannot be known. */
  space?(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;

  /** Gives the place back. What was not acknowledged stays for the next life. */
  close(): Promise<void>;
}

/** The most that others are to wait for the answer to what a page sends as it is hidden, in milliseconds. */
export const MOST_HOLD_MS: number = 10_000;

/** Calls `work`; what is appended in it is written in one go where the journal can do that. */
export function together<Result>(journal: Journal, work: () => Result): Result {
  return journal.together ? journal.together(work) : work();
}
