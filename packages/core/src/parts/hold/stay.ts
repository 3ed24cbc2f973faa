import { inSession } from '../../accept/unidentified.ts';
import { type EventBytes, encodeEvents, sliceEvents } from '../../base/event-bytes.ts';
import type { DropReason } from '../../base/fate.ts';
import type { Shelf } from '../shelf.ts';

/** Full groups passed to the journal at once. Before the next ones, other tasks get a turn. */
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

  /** Whether this process has said who the customer is, and the note does not have it yet. */
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

  /** Passes the oldest events to the journal. */
  async append(): Promise<void> {
    const { groupLimit } = this.#shelf.journal;
    const events = this.#events.splice(0, MOST_GROUPS * groupLimit.maxEvents);
    const all = this.#encode(events);
    const appends: Promise<void>[] = [];
    for (let first = 0; first < all.ends.length; ) {
      const group = sliceEvents(all, first, groupLimit);
      first += group.ends.length;
      appends.push(this.#append(group, events.splice(0, group.ends.length)));
    }
    // If one fails, the others must end, too.
    await Promise.allSettled(appends);
    await Promise.all(appends);
  }

  /** Stores all events before it returns, if the journal can. Throws a StorageError if that fails: the others are in memory then. */
  appendSync(): void {
    const { journal } = this.#shelf;
    if (!journal.appendSync) return;
    // The journal gets again what it is still writing.
    this.#events.unshift(...[...this.#writing].flat());
    this.#writing.clear();
    const all = this.#encode(this.#events);
    for (let first = 0; first < all.ends.length; ) {
      const group = sliceEvents(all, first, journal.groupLimit);
      first += group.ends.length;
      this.#shelf.add(journal.appendSync(group));
      this.#forget(this.#events.splice(0, group.ends.length));
    }
  }

  #encode(events: readonly WaitingEvent[]): EventBytes {
    const texts = events.map(({ text }) => inSession(text, this.session ?? ''));
    return encodeEvents(
      texts,
      events.map(({ at }) => at),
    );
  }

  async #append(group: EventBytes, events: readonly WaitingEvent[]): Promise<void> {
    this.#writing.add(events);
    try {
      const range = await this.#shelf.journal.append(group);
      // Otherwise they were stored at a last moment.
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
