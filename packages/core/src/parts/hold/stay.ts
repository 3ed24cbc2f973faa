import { inSession } from '../../accept/unidentified.ts';
import { type EventBytes, encodeEvents, sliceEvents } from '../../base/event-bytes.ts';
import type { DropReason } from '../../base/fate.ts';
import { together } from '../../keep/journal.ts';
import type { Shelf } from '../shelf.ts';

/** Full groups passed to the journal at once. Before the next ones, other tasks of the page get a turn. */
const MOST_GROUPS = 4;

/** An accepted event that has to wait, for example until its user is known. */
export interface WaitingEvent {
  readonly text: string;
  readonly at: number;
  readonly isHigh: boolean;
  /** Whether it names no user. Passed along, because searching each text for it is slow. */
  readonly isUnidentified: boolean;
  readonly customer: string;
}

/** The events in memory that were tracked between two changes of the identity. */
export class Stay {
  /** The id of their session, once it is known. */
  session: string | undefined;
  /** The customer that they belong to, once it is known. */
  customer: string | undefined;
  /** Why events without a customer are dropped. Undefined: they are not. */
  reason: DropReason | undefined;
  /** Number of events in memory, and the length of their texts. */
  count = 0;
  bytes = 0;
  readonly #shelf: Shelf;
  #events: WaitingEvent[] = [];
  /** The events of each group whose append is in progress. */
  readonly #writing = new Set<readonly WaitingEvent[]>();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Whether events wait to be stored. */
  get isWaiting(): boolean {
    return this.#events.length > 0;
  }

  /** Whether this tab has said who the customer is, and the note does not have it yet. */
  get isClaim(): boolean {
    return this.reason === 'unidentified';
  }

  end(customer?: string, reason?: DropReason): void {
    this.customer = customer;
    this.reason = reason;
  }

  push(event: WaitingEvent): void {
    this.#events.push(event);
    this.count += 1;
    this.bytes += event.text.length;
  }

  /** Removes the events whose append is not in progress, one by one. */
  *take(): Generator<WaitingEvent> {
    for (const event of this.#events.splice(0)) {
      this.#forget([event]);
      yield event;
    }
  }

  /**
   * Passes the oldest events to the journal. Nothing is awaited before the journal has them.
   *
   * @param isLast Whether this is the last moment: passes all of them, and stores them on this thread if the journal can.
   */
  async append(isLast = false): Promise<void> {
    const { journal } = this.#shelf;
    const isSync = isLast && journal.appendSync !== undefined;
    if (isSync) {
      // The journal gets again what it is still writing.
      this.#events.unshift(...[...this.#writing].flat());
      this.#writing.clear();
    }
    const most = isLast ? this.#events.length : MOST_GROUPS * journal.groupLimit.maxEvents;
    const events = this.#events.splice(0, most);
    const texts = events.map(({ text }) => inSession(text, this.session ?? ''));
    const times = events.map(({ at }) => at);
    const all = encodeEvents(texts, times);
    const appends: Promise<void>[] = [];
    together(journal, () => {
      for (let first = 0; first < texts.length; ) {
        const group = sliceEvents(all, first, journal.groupLimit);
        first += group.ends.length;
        appends.push(this.#append(group, events.splice(0, group.ends.length), isSync));
      }
    });
    // If one fails, the others must end, too.
    await Promise.allSettled(appends);
    await Promise.all(appends);
  }

  async #append(group: EventBytes, events: readonly WaitingEvent[], isSync: boolean): Promise<void> {
    const { journal } = this.#shelf;
    this.#writing.add(events);
    try {
      const range = (isSync && journal.appendSync?.(group)) || (await journal.append(group));
      // Otherwise they were stored on this thread meanwhile.
      if (!this.#writing.delete(events)) return;
      this.#forget(events);
      this.#shelf.add(range);
    } catch (error) {
      if (this.#writing.delete(events)) this.#events.push(...events);
      throw error;
    }
  }

  #forget(events: readonly WaitingEvent[]): void {
    this.count -= events.length;
    for (const { text } of events) this.bytes -= text.length;
  }
}
