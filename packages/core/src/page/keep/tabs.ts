import { type Clock, inTime, sleep } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Fate } from '../../base/fate.ts';
import { isHidden, type Meeting } from '../store/origin.ts';
import type { StoredLock } from '../store/stored-lock.ts';
import type { ParcelKey } from './parcel.ts';

/** A page that is hidden asks so much later: where it is frozen at once, it asks no more. */
const HIDDEN_MS = 1_000;
/** A browser that has not answered a request for a lock is asked after so long who has it, and must say so within the second time. */
const LATE_MS = 8_000;
const QUERY_MS = 4_000;

/** What pages of an account tell each other. */
export type Message =
  /** Events wait to be sent. */
  | readonly ['waits']
  /** A parcel ended. */
  | readonly ['ended', id: string, fate: Fate]
  /** Others took the place of a parcel. */
  | readonly ['cut', id: string, keys: readonly ParcelKey[]]
  /** Who is the customer of the session. */
  | readonly ['session', id: string, customer: string | undefined, isNew: boolean]
  /** Who is the customer? */
  | readonly ['who'];

export interface Tabs {
  tell(message: Message): void;
  /** Does the work while no other page does. Rejects if the signal aborts before, and in a hidden page if another one has its turn. */
  alone(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  open(): void;
  close(): void;
}

interface TabsOptions {
  readonly name: string;
  readonly meeting: Meeting;
  readonly clock: Clock;
  /** In place of Web Locks. */
  readonly stored: StoredLock;
  readonly onMessage: (message: Message) => void;
  /** Web Locks do not work. */
  readonly onFailed: (error: unknown) => void;
}

export function createTabs(options: TabsOptions): Tabs {
  const { name, clock, stored, onMessage, onFailed } = options;
  const { createChannel, locks: own } = options.meeting;
  let locks = own ?? stored;
  let channel: BroadcastChannel | undefined;

  async function alone(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const asked: Meeting['locks'] & object = locks;
    // One that is frozen as soon as it is hidden is not to be given the lock then: its timers stand still.
    if (isHidden()) await sleep(clock, HIDDEN_MS, signal);
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
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { signal: over.signal });
      // One that is frozen while it waits would get the lock all the same, and keep it from all others.
      globalThis.document?.addEventListener?.('visibilitychange', leave, { signal: over.signal });
      const request = asked.request(
        name,
        isHidden() ? { ifAvailable: true } : { signal: wait.signal },
        (lock) => {
          hasAnswer = true;
          watch.stop();
          if (lock === null || over.signal.aborted) throw new Error('another page works');
          return work();
        },
      );
      await Promise.race([request, late]);
    } catch (error) {
      if (hasAnswer || wait.signal.aborted) throw error;
      // Not to be had in this page.
      if (asked === stored) return work();
      locks = stored;
      onFailed(error);
      return alone(work, signal);
    } finally {
      watch.stop();
      over.abort();
    }
  }

  return {
    tell(message) {
      channel?.postMessage(message);
    },
    alone,
    open() {
      channel ??= createChannel?.(name);
      if (channel) channel.onmessage = ({ data }) => onMessage(data);
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
}
