import { type Clock, sleep } from '@sluice/protocol/toolbox';
import type { Fate } from '../../base/fate.ts';
import type { Activity } from '../journal.ts';

/** A page that is hidden asks so much later: where it is frozen at once, it asks no more. */
const HIDDEN_MS = 1_000;

/** Web Locks, where the browser has them. A lock is held while its callback's promise is pending. */
type Locks = Pick<LockManager, 'request'>;

/** What the tabs of a journal tell each other. A life: what it does. Or a range of a life's events: what became of them. */
export type JournalMessage =
  | readonly [life: string, activity: Activity]
  | readonly [life: string, from: number, to: number, fate: Fate];

/** What of the browser the tabs of an origin find each other by. */
export interface Meeting {
  readonly locks?: Locks | undefined;
  readonly createChannel?: ((name: string) => BroadcastChannel) | undefined;
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
  readonly #onMessage: (message: Message) => void;
  readonly #onLeft: (isLeft: boolean) => void;
  readonly #ended = new AbortController();
  #channel: BroadcastChannel | undefined;
  /** @param onLeft The page is left, or is back. */
  constructor(
    name: string,
    meeting: Meeting,
    clock: Clock,
    onMessage: (message: Message) => void,
    onLeft: (isLeft: boolean) => void = () => {},
  ) {
    this.#name = name;
    this.#meeting = meeting;
    this.#clock = clock;
    this.#onMessage = onMessage;
    this.#onLeft = onLeft;
  }

  /** Starts to listen. Not while the page may go to the back/forward cache, which an open channel keeps it out of. */
  open(): void {
    const { signal } = this.#ended;
    const connect = () => {
      this.#onLeft(false);
      this.#channel ??= this.#meeting.createChannel?.(this.#name);
      if (this.#channel) this.#channel.onmessage = ({ data }) => this.#onMessage(data);
    };
    connect();
    const leave = () => {
      this.#onLeft(true);
      this.#disconnect();
    };
    globalThis.addEventListener?.('pagehide', leave, { signal });
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
    // One that is frozen as soon as it is hidden is not to be given the lock then: its timers stand still.
    if (signal && isHidden()) await sleep(this.#clock, HIDDEN_MS, signal);
    const wait = new AbortController();
    const over = new AbortController();
    const leave = () => wait.abort();
    let hasAnswer = false;
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
      return await locks.request(this.#name, options, (lock) => {
        hasAnswer = true;
        if (lock === null) throw new Error('another page works');
        // So would one that is frozen while it has it.
        const frozen = new Promise<never>((_, reject) => {
          if (signal) page?.addEventListener?.('freeze', reject, { signal: over.signal });
        });
        return Promise.race([work(), frozen]);
      });
    } catch (error) {
      if (hasAnswer || wait.signal.aborted) throw error;
      // Not to be had in this page.
      return work();
    } finally {
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
