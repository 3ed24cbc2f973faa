import type { Clock } from '../base/clock.ts';
import type { Fsync } from '../keep/fsync.ts';
import type { Journal } from '../keep/journal.ts';
import type { Lifecycle } from '../keep/lifecycle.ts';
import type { Note } from '../keep/note.ts';
import type { Parts } from '../parts.ts';
import type { Transport } from '../send/http/transport.ts';
import type { Queue } from '../send/queue.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
import type { Lanes } from '../wait/lanes.ts';
import type { TextWriter } from '../wait/ring-buffer.ts';

/** What decides which journal a tracker gets, and where. */
export interface JournalPlace {
  /** Names a default place: what trackers of one account share, and those of two do not. */
  readonly account: string;
  readonly directory: string | undefined;
  readonly fsync: Fsync;
  /** What the journal is kept within, in bytes. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** A part of the place, for what is not to be delivered: dead letters. */
  readonly part?: string;
}

/** All that differs between Node and browsers. One is picked by the package's `imports` map, under `#platform`. */
export interface Platform {
  readonly text: TextWriter;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** What a tracker has without being given it. */
  readonly parts: Parts;
  /** Whether what is tracked before `identify()` is held by default: there is one customer at a time. */
  readonly holdsUnidentified: boolean;
  /** How long an event may wait in memory for others to be written with, by default, in milliseconds. */
  readonly commitIntervalMs: number;
  /** The durable journal of the platform; undefined where it has none. */
  createJournal(place: JournalPlace): Journal | undefined;
  /** Whether there is such a place, as far as that can be known without making it. */
  exists(place: JournalPlace): Promise<boolean>;
  /** A note beside that journal; undefined where there is none. */
  createNote(place: JournalPlace): Note | undefined;
  createTransport(): Transport;
  /** @param concurrency So much runs at once. Its user never has more of it than that. */
  createQueue(concurrency: number): Queue;
  /** What waits is to be sent once there is a network, should nobody else be there then. Absent where the process lives on. */
  registerSync?(): void;
  /** A controller whose signal any number may listen to: Node warns of more than ten. */
  createAbortController(): AbortController;
  /** Calls back when a signal of the user's aborts, to which any number may listen. Returns how to stop. */
  onAbort(signal: AbortSignal, callback: () => void): () => void;
  /** Before this returns, all that no journal holds is written, or where that takes longer, given to the journal: for a last moment. */
  writeNow(lanes: Pick<Lanes, 'all' | 'writeAll'>, journal: Journal): void;
  /** Tells those of the process who listen to all trackers what happened in one. Absent where there is no such place. */
  publish?(event: keyof TrackerEvents, detail: object): void;
}
