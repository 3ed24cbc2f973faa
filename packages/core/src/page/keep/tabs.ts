import { type Clock, inTime, sleep } from '@sluice/protocol/toolbox';
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
  /** A parcel ended, or these took its place. */
  | readonly ['ended', id: string, fate: Fate | undefined, keys?: readonly ParcelKey[] | undefined]
  /** These parcels are in a request, until this time at most. */
  | readonly ['out', ids: readonly string[], until: number]
  /** Who is the customer of the session. `isLost`: the note could not be written. */
  | readonly ['session', id: string, customer: string | undefined, isNew: boolean, isLost?: boolean]
  /** Who is the customer? */
  | readonly ['who'];

export interface Tabs {
  tell(message: Message): void;
  /** Does the work while no other page does. Rejects if the signal aborts before, and in a hidden page if another one has its turn. */
  alone(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  open(): void;
  close(): void;
}

interface TabsOptions extends Meeting {
  readonly name: string;
  readonly clock: Clock;
  /** In place of Web Locks. Undefined: nothing is stored, and the page keeps to itself. */
  readonly stored: StoredLock | undefined;
  readonly hear: (message: Message) => void;
  /** Web Locks do not work. */
  readonly onFailed: (error: unknown) => void;
}

export function createTabs(options: TabsOptions): Tabs {
  const { name, clock, channel: create, stored, hear, onFailed } = options;
  let locks: Meeting['locks'] = stored && (options.locks ?? stored);
  let channel: BroadcastChannel | undefined;

  async function alone(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const asked = locks;
    if (!asked) return work();
    const wait = new AbortController();
    const over = wait.signal;
    const leave = () => wait.abort();
    const isHeld = async () => {
      const query = asked.query && inTime(clock, asked.query(), QUERY_MS, Error);
      const answer = await query?.catch(() => undefined);
      return !query || answer?.held?.some((lock) => lock.name === name);
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { signal: over });
    // One that is frozen while it waits would get the lock all the same, and keep it from all others.
    globalThis.document?.addEventListener?.('visibilitychange', leave, { signal: over });
    // One that is frozen as soon as it is hidden is not to be given the lock then: its timers stand still.
    if (isHidden()) await sleep(clock, HIDDEN_MS, over);
    if (over.aborted) throw new Error('another page works');
    const options = isHidden() ? { ifAvailable: true } : { signal: over };
    try {
      const request = asked.request(name, options, (lock) => {
        const isOurs = lock !== null && !over.aborted;
        leave();
        if (!isOurs) throw new Error('another page works');
        return work();
      });
      const late = async () => {
        do await sleep(clock, LATE_MS, over);
        while (!over.aborted && (await isHeld()));
        if (!over.aborted) throw new Error('the browser did not answer');
        return request;
      };
      await Promise.race([request, late()]);
    } catch (error) {
      if (over.aborted) throw error;
      leave();
      // Not to be had in this page.
      if (asked === stored) return work();
      locks = stored;
      onFailed(error);
      return alone(work, signal);
    }
  }

  return {
    tell(message) {
      // A page that is left may still have to say who signed in.
      const to = channel ?? (stored && create?.(name));
      to?.postMessage(message);
      if (!channel) to?.close();
    },
    alone,
    open() {
      channel ??= stored && create?.(name);
      if (channel) channel.onmessage = ({ data }) => hear(data);
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
}
