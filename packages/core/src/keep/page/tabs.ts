import { type Clock, inTime, sleep } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { type StorageError, storageError } from '../../base/errors/storage-error.ts';
import type { Fate } from '../../base/fate.ts';
import type { Activity } from '../journal.ts';
import type { IndexedDbStore } from './indexeddb-store.ts';
import { StoredLock } from './stored-lock.ts';

/** A page that is hidden asks so much later: where it is frozen at once, it asks no more. */
const HIDDEN_MS = 1_000;

/** A browser that has not answered a request for a lock is asked after so long who has it, and must say so within the second time. */
const LATE_MS = 8_000;
const QUERY_MS = 4_000;

/** Web Locks. A lock is held while its callback's promise is pending. */
interface Locks {
  request<Result>(
    name: string,
    options: LockOptions,
    work: (lock: object | null) => Promise<Result>,
  ): Promise<Result>;
  query?(): Promise<LockManagerSnapshot>;
}

/** What the tabs of a journal tell each other. A life: what it does. Or a range of a life's events: what became of them. */
export type JournalMessage =
  | readonly [life: string, activity: Activity]
  | readonly [life: string, from: number, to: number, fate: Fate];

/** What those who share a database do about other tabs. */
export interface TabsListener<Message> {
  onMessage(message: Message): void;
  /** The page is left, or is back. */
  onLeft?(isLeft: boolean): void;
  /** Web Locks do not work. A lock in the database replaces them. */
  onFailed?(error: StorageError): void;
}

/** What of the browser the tabs of an origin find each other by. */
export interface Meeting {
  readonly locks?: Locks | undefined;
  readonly createChannel?: ((name: string) => BroadcastChannel | undefined) | undefined;
}

/** Whether nobody sees the page: its timers come late, or not at all. */
export function isHidden(): boolean {
  return globalThis.document?.visibilityState === 'hidden';
}

/** The tabs of an origin that share a database: what they tell each other, and the lock under which one of them works. */
export class Tabs<Message = JournalMessage> {
  readonly #name: string;
  readonly #meeting: Meeting;
  readonly #clock: Clock;
  readonly #listener: TabsListener<Message>;
  readonly #stored: StoredLock;
  #locks: Locks;
  readonly #ended = new AbortController();
  #channel: BroadcastChannel | undefined;

  constructor(
    name: string,
    meeting: Meeting,
    clock: Clock,
    store: IndexedDbStore,
    listener: TabsListener<Message>,
  ) {
    this.#name = name;
    this.#meeting = meeting;
    this.#clock = clock;
    this.#listener = listener;
    this.#stored = new StoredLock(store, clock);
    this.#locks = meeting.locks ?? this.#stored;
  }

  /** Starts to listen. Not while the page may go to the back/forward cache, which an open channel keeps it out of. */
  open(): void {
    const { signal } = this.#ended;
    const connect = () => {
      this.#listener.onLeft?.(false);
      this.#channel ??= this.#meeting.createChannel?.(this.#name);
      if (this.#channel) this.#channel.onmessage = ({ data }) => this.#listener.onMessage(data);
    };
    connect();
    const leave = () => {
      this.#listener.onLeft?.(true);
      this.#disconnect();
    };
    // Between the two, Chromium ends the pending requests of the page, as if they had failed.
    for (const type of ['pageswap', 'pagehide']) globalThis.addEventListener?.(type, leave, { signal });
    globalThis.addEventListener?.('pageshow', connect, { signal });
  }

  tell(message: Message): void {
    this.#channel?.postMessage(message);
  }

  /** As `Sharing.hold`. */
  async hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const locks = this.#locks;
    const page = globalThis.document;
    // One that is frozen as soon as it is hidden is not to be given the lock then: its timers stand still.
    if (signal && isHidden()) await sleep(this.#clock, HIDDEN_MS, signal);
    const wait = new AbortController();
    const over = new AbortController();
    const leave = () => wait.abort();
    let hasAnswer = false;
    let giveUp: (error: Error) => void = () => {};
    const late = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const watch = new Alarm(this.#clock, async () => {
      const error = new Error('the browser does not answer');
      const query = async () => locks.query?.();
      const answer = await inTime(this.#clock, query(), QUERY_MS, () => error).catch(() => undefined);
      if (hasAnswer) return;
      if (answer?.held?.some(({ name }) => name === this.#name)) watch.set(LATE_MS);
      else giveUp(error);
    });
    if (locks.query) watch.set(LATE_MS);
    try {
      if (signal?.aborted) leave();
      for (const [target, event] of [
        [signal, 'abort'],
        [page, 'visibilitychange'],
        [globalThis, 'pagehide'],
      ] as const)
        if (signal) target?.addEventListener?.(event, leave, { signal: over.signal });
      // One that is frozen while it waits would get the lock all the same, and keep it from all others.
      const options = signal && isHidden() ? { ifAvailable: true } : { signal: wait.signal };
      const request = locks.request(this.#name, options, async (lock) => {
        hasAnswer = true;
        watch.stop();
        if (lock === null || over.signal.aborted) throw new Error('another page works');
        // So would one that is frozen while it has it.
        const frozen = new Promise<never>((_, reject) => {
          if (signal) page?.addEventListener?.('freeze', reject, { signal: over.signal });
        });
        return Promise.race([work(), frozen]);
      });
      return await Promise.race([request, late]);
    } catch (error) {
      if (hasAnswer || wait.signal.aborted) throw error;
      // Not to be had in this page.
      if (locks === this.#stored) return work();
      this.#locks = this.#stored;
      this.#listener.onFailed?.(storageError('cannot use Web Locks, so a lock in IndexedDB is used', error));
      return this.hold(work, signal);
    } finally {
      watch.stop();
      over.abort();
    }
  }

  close(): void {
    this.#ended.abort();
    this.#disconnect();
  }

  #disconnect(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}
