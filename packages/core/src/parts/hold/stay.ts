import { identified } from '../../accept/unidentified.ts';
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
  bytes = 0;
  readonly #shelf: Shelf;
  readonly #events = new Set<WaitingEvent>();
  /** Events of an append in progress. */
  #writing: ReadonlySet<WaitingEvent> = new Set();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  get count(): number {
    return this.#events.size;
  }

  /** Whether this process has set the customer, and the note does not have it yet. */
  get isClaim(): boolean {
    return this.reason === 'unidentified';
  }

  end(customer?: string, reason?: DropReason): void {
    this.customer = customer;
    this.reason = reason;
  }

  push(event: WaitingEvent): void {
    this.#events.add(event);
    this.bytes += event.text.length;
  }

  /** Removes the events whose append is not in progress, one by one. */
  *take(): Generator<WaitingEvent> {
    for (const event of [...this.#events]) {
      // Whoever gets one may take the others too.
      if (this.#writing.has(event) || !this.#events.has(event)) continue;
      this.#forget(event);
      yield event;
    }
  }

  /** Passes the oldest events to the journal, as many as it takes at once. Before the next ones, other tasks get a turn. */
  async append(): Promise<void> {
    const [group, events] = this.#group();
    this.#writing = group;
    try {
      const range = await this.#shelf.journal.append(events);
      // Otherwise they were stored at a last moment.
      if (this.#writing === group) this.#stored(group, range);
    } finally {
      if (this.#writing === group) this.#writing = new Set();
    }
  }

  /** Stores all events before it returns, if the journal can. Throws a StorageError if that fails: the others are in memory then. */
  appendSync(): void {
    const { journal } = this.#shelf;
    if (!journal.appendSync) return;
    // The journal gets again what it is still writing.
    this.#writing = new Set();
    while (this.count > 0) {
      const [group, events] = this.#group();
      this.#stored(group, journal.appendSync(events));
    }
  }

  /** The oldest events that the journal takes at once. */
  #group(): [ReadonlySet<WaitingEvent>, EventBytes] {
    const { groupLimit } = this.#shelf.journal;
    const oldest = [...this.#events].slice(0, groupLimit.maxEvents);
    const texts = oldest.map(({ text }) => startOf(this.session ?? '') + text.slice(1));
    const times = oldest.map(({ at }) => at);
    const events = sliceEvents(encodeEvents(texts, times), 0, groupLimit);
    return [new Set(oldest.slice(0, events.ends.length)), events];
  }

  #stored(group: ReadonlySet<WaitingEvent>, range: Range): void {
    for (const event of group) this.#forget(event);
    this.#shelf.add(range);
  }

  #forget(event: WaitingEvent): void {
    this.#events.delete(event);
    this.bytes -= event.text.length;
  }
}

/** The stored events of a session, with their customer. Leaves out the events of other sessions. */
export function stampEvents(stored: EventBytes, session: string | undefined, customer: string): EventBytes {
  const texts: string[] = [];
  const times: number[] = [];
  for (const [index, bytes] of splitEvents(stored).entries()) {
    const text = new TextDecoder().decode(bytes);
    if (session === undefined || !text.startsWith(startOf(session))) continue;
    texts.push(identified(`{${text.slice(startOf(session).length)}`, customer));
    times.push(stored.times?.[index] ?? Number.NaN);
  }
  return encodeEvents(texts, times);
}

/** A stored text starts with the id of its session, in place of its brace. */
function startOf(session: string): string {
  return `{"session":"${session}",`;
}
