import { type Clock, inTime, sleep } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { type StorageError, storageError } from '../../base/errors/storage-error.ts';
import type { Fate } from '../../base/fate.ts';
import type { Activity } from '../journal.ts';
import type { IndexedDbStore } from './indexeddb-store.ts';
import { type StoredLock, storedLock } from './stored-lock.ts';

/** A page that is hidden asks so much later: where it is frozen at once, it asks no more. */
const HIDDEN_MS = 1_000;

/** A browser that has not answered a request for a lock is asked after so long who has it, and must say so within the second time. */
const LATE_MS = 8_000;
const QUERY_MS = 4_000;

/** Web Locks. */
interface Locks extends StoredLock {
  query?(): Promise<LockManagerSnapshot>;
}

/** What the tabs of a journal tell each other. A life: what it does. Or a range of a life's events: what became of them. */
type JournalMessage =
  | readonly [life: string, activity: Activity]
  | readonly [life: string, from: number, to: number, fate: Fate];

/** What those who share a database do about other tabs. */
interface TabsListener<Message> {
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
export interface Tabs<Message = JournalMessage> {
  /** Starts to listen. Not while the page may go to the back/forward cache, which an open channel keeps it out of. */
  open(): void;
  tell(message: Message): void;
  /** As `Sharing.hold`. */
  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  close(): void;
}

export function createTabs<Message = JournalMessage>(
  name: string,
  meeting: Meeting,
  clock: Clock,
  store: IndexedDbStore,
  listener: TabsListener<Message>,
): Tabs<Message> {
  const stored = storedLock(store, clock);
  let locks: Locks = meeting.locks ?? stored;
  const ended = new AbortController();
  let channel: BroadcastChannel | undefined;

  async function hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const asked = locks;
    const page = globalThis.document;
    // One that is frozen as soon as it is hidden is not to be given the lock then: its timers stand still.
    if (signal && isHidden()) await sleep(clock, HIDDEN_MS, signal);
    const wait = new AbortController();
    const over = new AbortController();
    const leave = () => wait.abort();
    let hasAnswer = false;
    let giveUp: (error: Error) => void = () => {};
    const late = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const watch = new Alarm(clock, async () => {
      const error = new Error('the browser did not answer');
      const query = async () => asked.query?.();
      const answer = await inTime(clock, query(), QUERY_MS, () => error).catch(() => undefined);
      if (hasAnswer) return;
      if (answer?.held?.some((lock) => lock.name === name)) watch.set(LATE_MS);
      else giveUp(error);
    });
    if (asked.query) watch.set(LATE_MS);
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
      const request = asked.request(name, options, async (lock) => {
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
      if (asked === stored) return work();
      locks = stored;
      listener.onFailed?.(storageError('cannot use Web Locks, so IndexedDB is used', error));
      return hold(work, signal);
    } finally {
      watch.stop();
      over.abort();
    }
  }

  function disconnect(): void {
    channel?.close();
    channel = undefined;
  }

  return {
    open() {
      const { signal } = ended;
      const connect = () => {
        listener.onLeft?.(false);
        channel ??= meeting.createChannel?.(name);
        if (channel) channel.onmessage = ({ data }) => listener.onMessage(data);
      };
      connect();
      const leave = () => {
        listener.onLeft?.(true);
        disconnect();
      };
      // Between the two, Chromium ends the pending requests of the page, as if they had failed.
      for (const type of ['pageswap', 'pagehide']) globalThis.addEventListener?.(type, leave, { signal });
      globalThis.addEventListener?.('pageshow', connect, { signal });
    },
    tell(message) {
      channel?.postMessage(message);
    },
    hold,
    close() {
      ended.abort();
      disconnect();
    },
  };
}
