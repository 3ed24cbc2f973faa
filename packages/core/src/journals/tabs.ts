import type { Activity, Fate } from '../journal.ts';

/** Web Locks, where the browser has them. A lock is held while its callback's promise is pending. */
type Locks = Pick<LockManager, 'request'>;

/** What tabs tell each other. A life: what it does. Or a range of a life's events: what became of them. */
export type Message =
  | readonly [life: string, activity: Activity]
  | readonly [life: string, from: number, to: number, fate: Fate];

/** What of the browser the tabs of an origin find each other by. */
export interface Meeting {
  readonly locks?: Locks | undefined;
  readonly createChannel?: ((name: string) => BroadcastChannel) | undefined;
}

/** The tabs of an origin that use one journal: what they tell each other, and the lock under which one of them works. */
export class Tabs {
  readonly #name: string;
  readonly #meeting: Meeting;
  readonly #onMessage: (message: Message) => void;
  readonly #ended = new AbortController();
  #channel: BroadcastChannel | undefined;

  constructor(name: string, meeting: Meeting, onMessage: (message: Message) => void) {
    this.#name = name;
    this.#meeting = meeting;
    this.#onMessage = onMessage;
  }

  /** Starts to listen. Not while the page may go to the back/forward cache, which an open channel keeps it out of. */
  open(): void {
    const { signal } = this.#ended;
    const connect = () => {
      this.#channel ??= this.#meeting.createChannel?.(this.#name);
      if (this.#channel) this.#channel.onmessage = ({ data }) => this.#onMessage(data);
    };
    connect();
    globalThis.addEventListener?.('pagehide', () => this.#disconnect(), { signal });
    globalThis.addEventListener?.('pageshow', connect, { signal });
  }

  tell(message: Message): void {
    this.#channel?.postMessage(message);
  }

  /** As `Sharing.hold`. */
  async hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const { locks } = this.#meeting;
    if (locks === undefined) return work();
    const page = globalThis.document;
    // One that is frozen while it waits would get the lock all the same, and keep it from all others.
    const isShy = signal !== undefined && page?.visibilityState === 'hidden';
    const wait = new AbortController();
    const leave = () => wait.abort();
    let hasAnswer = false;
    try {
      if (signal?.aborted) leave();
      for (const [target, event] of [
        [signal, 'abort'],
        [page, 'visibilitychange'],
        [globalThis, 'pagehide'],
      ] as const)
        if (signal !== undefined) target?.addEventListener?.(event, leave, { signal: wait.signal });
      const options = isShy ? { ifAvailable: true } : { signal: wait.signal };
      return await locks.request(this.#name, options, (lock) => {
        hasAnswer = true;
        if (lock === null) throw new Error('another page works');
        return work();
      });
    } catch (error) {
      if (hasAnswer || wait.signal.aborted) throw error;
      // Not to be had in this page.
      return work();
    } finally {
      leave();
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
