import { identified, inSession, outOfSession } from '../../accept/unidentified.ts';
import { type EventBytes, encodeEvents, sliceEvents, splitEvents } from '../../base/event-bytes.ts';
import type { DropReason } from '../../base/fate.ts';
import type { Range } from '../../base/range.ts';
import type { Shelf } from '../shelf.ts';

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
  /** Events before these, whose append is in progress. */
  #writing: readonly WaitingEvent[] = [];

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

  /** Passes the oldest events to the journal, as many as it takes at once. Before the next ones, other tasks get a turn. */
  async append(): Promise<void> {
    const group = this.#group();
    const writing = this.#events.splice(0, group.ends.length);
    this.#writing = writing;
    try {
      const range = await this.#shelf.journal.append(group);
      // Otherwise they were stored at a last moment.
      if (this.#writing === writing) this.#stored(range);
    } catch (error) {
      if (this.#writing === writing) this.#handBack();
      throw error;
    }
  }

  /** Stores all events before it returns, if the journal can. Throws a StorageError if that fails: the others are in memory then. */
  appendSync(): void {
    const { journal } = this.#shelf;
    if (!journal.appendSync) return;
    // The journal gets again what it is still writing.
    this.#handBack();
    while (this.#events.length > 0) {
      const group = this.#group();
      const range = journal.appendSync(group);
      this.#writing = this.#events.splice(0, group.ends.length);
      this.#stored(range);
    }
  }

  /** The oldest events that the journal takes at once. */
  #group(): EventBytes {
    const { groupLimit } = this.#shelf.journal;
    const events = this.#events.slice(0, groupLimit.maxEvents);
    const texts = events.map(({ text }) => inSession(text, this.session ?? ''));
    const times = events.map(({ at }) => at);
    return sliceEvents(encodeEvents(texts, times), 0, groupLimit);
  }

  #stored(range: Range): void {
    this.#forget(this.#writing);
    this.#writing = [];
    this.#shelf.add(range);
  }

  #handBack(): void {
    this.#events.unshift(...this.#writing);
    this.#writing = [];
  }

  #forget(events: readonly WaitingEvent[]): void {
    this.count -= events.length;
    for (const { text } of events) this.bytes -= text.length;
  }
}

/** The stored events of a session, with their customer. Leaves out the events of other sessions. */
export function stampEvents(stored: EventBytes, session: string | undefined, customer: string): EventBytes {
  const texts: string[] = [];
  const times: number[] = [];
  for (const [index, bytes] of splitEvents(stored).entries()) {
    const text = session === undefined ? undefined : outOfSession(new TextDecoder().decode(bytes), session);
    if (text === undefined) continue;
    texts.push(identified(text, customer));
    times.push(stored.times?.[index] ?? Number.NaN);
  }
  return encodeEvents(texts, times);
}
