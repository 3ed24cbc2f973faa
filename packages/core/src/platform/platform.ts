import type { Redact } from '@sluice/protocol/toolbox';
import type { Journal } from '../keep/journal.ts';
import type { Note } from '../keep/note.ts';
import type { Defaults, Settings } from '../options/settings.ts';
import type { Transport } from '../send/http/transport.ts';
import type { Queue } from '../send/sender.ts';
import type { Tell } from '../tell/reporter.ts';
import type { TextWriter } from '../wait/contents.ts';
import type { Rest } from './process/rest.ts';

/** Where a tracker has its journal. By default, trackers of one account share it. */
interface JournalPlace {
  readonly settings: Settings;
  readonly maxBytes?: number | undefined;
  /** A separate place for dead letters or unidentified events. */
  readonly part?: string | undefined;
}

interface LifecycleListener {
  /**
   * The process ends (Node's `exit`, or a signal): only work that is finished when this returns is done.
   *
   * @param isFinal Whether nothing asynchronous can follow, as at `exit`. After a signal the process may survive.
   */
  exit(isFinal: boolean): void;
  /** The app went to the background. It may end there without another word. */
  hide(): void;
  /** The app is active again. */
  show(): void;
  /** The network may be back: a hint to retry sooner. */
  online(): void;
  /** The network may be gone: a hint to try with fewer requests. */
  offline(): void;
}

interface Lifecycle {
  /** Starts to listen. Returns a function that stops it. */
  listen(listener: LifecycleListener): () => void;
  /** Whether the app is in the background. Absent if there is no such thing. */
  isHidden?(): boolean;
}

/** Everything that differs between Node, edge runtimes and React Native. The package's `imports` map selects one, under `#platform`. */
export interface Platform extends Defaults {
  readonly text: TextWriter;
  readonly lifecycle: Lifecycle;
  /** Makes a function that removes the API key from texts. */
  readonly redactor: (secret: string) => Redact;
  /** Creates the durable journal of the platform; undefined if there is none. */
  createJournal(place: JournalPlace): Journal | undefined;
  /** Creates a note next to that journal; undefined if there is none. */
  createNote(place: JournalPlace): Note | undefined;
  createTransport(settings: Pick<Settings, 'delivery' | 'exitBudgetMs'>): Transport;
  /** Creates what keeps a process that may end at once from sending. Absent if there are no such processes. */
  createRest?(
    options: ConstructorParameters<typeof Rest>[0] & Pick<JournalPlace, 'settings'>,
  ): Rest | undefined;
  /** As `Tracker.drainInBackground`. Absent if there are no processes. */
  drainInBackground?(settings: Settings, apiKey: string | undefined): boolean;
  /** Maximum number of requests at once, whatever the option says. */
  readonly mostRequests: number;
  /** @param concurrency How many tasks run at once. The caller never adds more than that. */
  createQueue(concurrency: number): Queue;
  /** Creates a controller whose signal may have any number of listeners: Node warns of more than ten. */
  createAbortController(): AbortController;
  /** Calls back when a signal of the user aborts. Returns a function that stops this. Absent if `addEventListener` is enough. */
  onAbort?(signal: AbortSignal, callback: () => void): () => void;
  /** Publishes what happens to those in the process who listen to all trackers. Absent if the platform cannot. */
  readonly publish?: Tell | undefined;
}
