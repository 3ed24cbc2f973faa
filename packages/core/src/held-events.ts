import type { DropReason } from './books.ts';
import type { Clock, Timer } from './clock.ts';
import { encodeEvents, sliceEvents, splitEvents } from './event-bytes.ts';
import { type EventBytes, type Journal, type Range, type Reading, rangeLength, together } from './journal.ts';
import { RangeQueue } from './range-queue.ts';
import type { Reporter } from './reporter.ts';
import type { Sessions } from './sessions.ts';
import { identified, inSession, outOfSession } from './unidentified.ts';

const RETRY_MS = 30_000;
/** Groups that are given to the journal at once; before the next ones a page has its turn. */
const MOST_AT_ONCE = 4;
const decoder = new TextDecoder();

/** An event that was accepted, and waits for something before it goes on. */
export interface WaitingEvent {
  readonly text: string;
  readonly at: number;
  readonly isHigh: boolean;
}

/** What was tracked between two changes of the identity, and is in memory. */
interface Stay {
  /** The id of its session, as soon as that is known. */
  session?: string;
  /** Whose events they are, as soon as that is known. */
  customer?: string;
  readonly events: WaitingEvent[];
}

/** What a visit has released, and whether the rest of the segment needs none. */
interface Visit {
  readonly released: Range;
  readonly isDone?: boolean;
}

export interface HeldEventsOptions {
  /** A place of its own. Called when it is needed. */
  readonly createJournal: () => Journal;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly intervalMs: number;
  /** Bound of what is held, in bytes. */
  readonly maxBytes: number;
  /** How old an event may get, in milliseconds. */
  readonly maxAgeMs: number;
  /** Puts an event on the road. */
  readonly enter: (event: WaitingEvent) => void;
  /** Puts events on the road that are stored; calls back at the moment at which they wait there. */
  readonly replay: (events: EventBytes, onReplayed: () => void) => Promise<void>;
  readonly reporter: Pick<Reporter, 'dropped' | 'emit' | 'recovered' | 'settled' | 'storageFailed'>;
}

/**
 * Events that were tracked before anybody knew whose they are: stored without their user, and stamped once `identify()` says
 * who that is. Each leaves its place only when it is on the road. One thing after the other is done to them.
 */
export class HeldEvents {
  readonly #options: HeldEventsOptions;
  #journal: Journal | undefined;
  #opened: Promise<void> | undefined;
  /** What the journal holds. */
  readonly #stored = new RangeQueue();
  #stay: Stay = { events: [] };
  #customer: string | undefined;
  /** Those whose customer is known and that are not on the road yet. */
  readonly #claimed = new Set<Stay>();
  /** What is given to the journal just now. */
  readonly #writing = new Map<EventBytes, readonly WaitingEvent[]>();
  /** Events in memory, and the length of their texts. */
  #unwritten = 0;
  #bytes = 0;
  /** What is to be done. Where the first fails, all wait for it. */
  readonly #turns: (() => Promise<unknown>)[] = [];
  #working: Promise<void> | undefined;
  #writeTimer: Timer | undefined;
  #retryTimer: Timer | undefined;

  constructor(options: HeldEventsOptions) {
    this.#options = options;
  }

  /** Events that are held, those of earlier lives as far as they were looked at. */
  get pending(): number {
    return this.#unwritten + this.#stored.count;
  }

  /** Of these, those in memory alone. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Holds an event until its user is known. Where there is no room, what came first stays: it tells where a customer came from. */
  hold(event: WaitingEvent): void {
    const { clock, intervalMs, maxBytes, reporter } = this.#options;
    const { length } = event.text;
    if ((this.#journal?.bytes ?? 0) + this.#bytes + length > maxBytes) {
      reporter.dropped('journal-full', 1);
      return;
    }
    this.#unwritten += 1;
    this.#bytes += length;
    this.#stay.events.push(event);
    // Early: when the page is left, there is no time for it.
    if (this.#opened === undefined && this.#turns.length === 0)
      void this.#inTurn(() => this.#look(this.#stay));
    this.#writeTimer ??= clock.setTimeout(() => void this.write(), intervalMs);
  }

  /** What is held is this customer's. */
  identify(customer: string): void {
    const stay = this.#stay;
    stay.customer = customer;
    this.#stay = { events: [] };
    this.#customer = customer;
    this.#claimed.add(stay);
    if (this.#retryTimer !== undefined) this.#release(stay);
    void this.#inTurn(() => this.#claim(stay, customer));
  }

  /** What is held is nobody's, and a new session begins. */
  reset(reason: DropReason = 'unidentified'): void {
    const old = this.#stay;
    const stay: Stay = { events: [] };
    this.#stay = stay;
    this.#customer = undefined;
    this.#dropFresh(reason, old);
    void this.#inTurn(async () => {
      // Those with which a write failed that was under way.
      this.#dropFresh(reason, old);
      stay.session = await this.#options.sessions.end();
      await this.#alone(async (journal) => {
        for (const range of this.#stored.ranges) {
          this.#dropStored(reason, range);
          await journal.acknowledge(range, reason);
        }
      });
    });
  }

  /** Resolves once all that is held is stored, or on the road; to false as soon as storage fails. */
  write(): Promise<boolean> {
    this.#writeTimer?.cancel();
    this.#writeTimer = undefined;
    if (this.#unwritten === 0 || this.#retryTimer !== undefined) return this.settled();
    const stay = this.#stay;
    return this.#inTurn(async () => {
      await this.#append(await this.#look(stay), stay);
    });
  }

  /** Resolves once all that was begun is done; to false as soon as storage fails. */
  async settled(): Promise<boolean> {
    if (this.#retryTimer !== undefined) return false;
    this.#working ??= this.#work();
    await this.#working;
    return this.#turns.length === 0;
  }

  /** The process may end: what can go on does, and what the journal can write on this thread is written. */
  writeSync(): void {
    this.#releaseAll();
    const stay = this.#stay;
    if (this.#unwritten === 0) return;
    this.#journal ??= this.#options.createJournal();
    const journal = this.#journal;
    for (;;) {
      const [group = this.#group(journal, stay)] = this.#writing.keys();
      const range = group && journal.appendSync?.(group);
      if (group === undefined || range === undefined) return;
      this.#forgetTexts(this.#writing.get(group) ?? stay.events.splice(0, rangeLength(range)));
      this.#writing.delete(group);
      this.#keep(range);
    }
  }

  /** The page may end: what can go on does, and what is in memory is given to the journal at once. */
  leave(): void {
    this.#releaseAll();
    const stay = this.#stay;
    const journal = this.#journal;
    if (journal === undefined || stay.session === undefined) void this.write();
    else {
      const written = this.#append(journal, stay, Number.POSITIVE_INFINITY);
      void this.#inTurn(() => written.catch(() => this.#append(journal, stay)));
    }
  }

  /** Stores what it can, and gives everything back. */
  async close(): Promise<void> {
    this.#stopRetry();
    await this.write();
    this.#writeTimer?.cancel();
    this.#stopRetry();
    this.#options.sessions.close();
    await this.#journal?.close();
  }

  /** What no journal holds ends here. */
  giveUp(): void {
    const count = this.#journal?.survives ? this.#unwritten : this.pending;
    this.#unwritten -= count;
    this.#options.reporter.settled('closed', count);
  }

  async #open(): Promise<Journal> {
    const { createJournal, reporter } = this.#options;
    this.#journal ??= createJournal();
    const journal = this.#journal;
    let isOpen = false;
    this.#opened ??= journal
      .open({
        recovered: (range) => {
          this.#keep(range);
          reporter.recovered('recovered', rangeLength(range));
          // Of a life that ended later than this one began.
          if (isOpen && this.#customer !== undefined) this.identify(this.#customer);
        },
        settled: (range, fate) => reporter.settled(fate, this.#stored.cut(range)),
        vanished: (segment) =>
          this.#dropStored('damaged', { segment, from: 0, to: Number.POSITIVE_INFINITY }),
        damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
        failed: (error) => reporter.storageFailed(error),
      })
      .then(() => this.#expire(journal))
      .catch((error) => reporter.storageFailed(error))
      .then(() => {
        isOpen = true;
      });
    await this.#opened;
    return journal;
  }

  /** Drops what is too old: in each segment the oldest is first. */
  #expire(journal: Journal): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    const before = clock.now() - maxAgeMs;
    return this.#visit(journal, ({ events: { times }, range }) => {
      const fresh = times?.findIndex((time) => !(time < before)) ?? 0;
      const released = fresh < 0 ? range : { ...range, to: range.from + fresh };
      this.#dropStored('expired', released);
      return { released, isDone: fresh >= 0 };
    });
  }

  /** Finds out which session is under way. */
  async #look(stay: Stay): Promise<Journal> {
    const journal = await this.#open();
    const session = await this.#options.sessions.current();
    // Somebody signed out, or in, in another tab.
    if ((stay.session ?? session) !== session) this.#dropFresh('unidentified', stay);
    stay.session = session;
    return journal;
  }

  /** Gives to the journal what is in memory by now. */
  async #append(journal: Journal, stay: Stay, mostAtOnce: number = MOST_AT_ONCE): Promise<void> {
    for (let left = stay.events.length; left > 0 && stay.events.length > 0; ) {
      const appends: Promise<void>[] = [];
      together(journal, () => {
        while (appends.length < mostAtOnce) {
          const group = this.#group(journal, stay);
          if (group === undefined) break;
          left -= group.ends.length;
          appends.push(this.#appendGroup(journal, stay, group));
        }
      });
      await Promise.all(appends);
    }
  }

  /** Nothing is awaited before it is given to the journal. */
  async #appendGroup(journal: Journal, stay: Stay, group: EventBytes): Promise<void> {
    const events = stay.events.splice(0, group.ends.length);
    this.#writing.set(group, events);
    // Unless they were written by `writeSync` meanwhile.
    const isOver = () => this.#writing.delete(group);
    try {
      const range = await journal.append(group);
      if (!isOver()) return;
      this.#forgetTexts(events);
      this.#keep(range);
    } catch (error) {
      if (isOver()) stay.events.push(...events);
      throw error;
    }
  }

  async #claim(stay: Stay, customer: string): Promise<void> {
    const theirs = await this.#options.sessions.claim(customer);
    if (theirs === undefined || (stay.session ?? theirs) !== theirs) this.#dropFresh('unidentified', stay);
    this.#release(stay);
    await this.#alone(async (journal) => {
      await this.#expire(journal);
      await this.#visit(journal, (reading) => this.#stamp(reading, theirs, customer));
      await journal.reclaim?.();
    });
  }

  /** Puts on the road what is of a customer's session, and drops the rest. */
  async #stamp({ events, range }: Reading, session: string | undefined, customer: string): Promise<Visit> {
    const stamped: string[] = [];
    const times: number[] = [];
    for (const [index, text] of splitEvents(events).entries()) {
      const event = session === undefined ? undefined : outOfSession(decoder.decode(text), session);
      if (event === undefined) continue;
      stamped.push(identified(event, customer));
      times.push(events.times?.[index] ?? Number.NaN);
    }
    // By number: which of them goes does not matter any more.
    const end = () => {
      this.#stored.cut({ ...range, to: range.from + stamped.length });
      this.#dropStored('unidentified', range);
    };
    if (stamped.length > 0) await this.#options.replay(encodeEvents(stamped, times), end);
    else end();
    return { released: range };
  }

  /** Reads what is stored bit by bit, in each segment until it is done, and releases what the callback says. What cannot be read is dropped. */
  async #visit(journal: Journal, callback: (reading: Reading) => Visit | Promise<Visit>): Promise<void> {
    // Half of what the journal takes at once: they grow by the length of their user.
    const limit = { ...journal.groupLimit, maxBytes: journal.groupLimit.maxBytes / 2 };
    for (const range of this.#stored.ranges) {
      for (let { from } = range, isDone: boolean | undefined; from < range.to && !isDone; ) {
        const reading = await journal.read({ ...range, from }, limit);
        let released = reading.range;
        if (reading.events.ends.length === 0) this.#dropStored('damaged', released);
        else ({ released, isDone } = await callback(reading));
        if (rangeLength(released) > 0) await journal.acknowledge(released);
        from = Math.max(from + 1, reading.range.to);
      }
    }
  }

  /** Puts on the road what memory holds for a customer. */
  #release(stay: Stay): void {
    const { customer, events } = stay;
    this.#claimed.delete(stay);
    if (customer === undefined) return;
    for (const event of events.splice(0)) {
      this.#forgetTexts([event]);
      this.#options.enter({ ...event, text: identified(event.text, customer) });
    }
  }

  #releaseAll(): void {
    for (const stay of this.#claimed) this.#release(stay);
  }

  /** The oldest events in memory as they are stored, as many as the journal takes at once; undefined where there are none. */
  #group({ groupLimit }: Journal, { events, session = '' }: Stay): EventBytes | undefined {
    const texts: string[] = [];
    let room = groupLimit.maxBytes;
    for (const { text } of events) {
      const stored = inSession(text, session);
      room -= stored.length + 1;
      if (texts.length > 0 && (room < -1 || texts.length === groupLimit.maxEvents)) break;
      texts.push(stored);
    }
    if (texts.length === 0) return undefined;
    const times = events.slice(0, texts.length).map(({ at }) => at);
    return sliceEvents(encodeEvents(texts, times), 0, groupLimit);
  }

  /** Events are in memory no more. */
  #forgetTexts(events: readonly WaitingEvent[]): void {
    this.#unwritten -= events.length;
    for (const { text } of events) this.#bytes -= text.length;
  }

  #keep(range: Range): void {
    this.#stored.push({ ...range, epoch: 0 });
  }

  #dropFresh(reason: DropReason, { events }: Stay): void {
    const dropped = events.splice(0);
    this.#forgetTexts(dropped);
    this.#options.reporter.settled(reason, dropped.length);
  }

  #dropStored(reason: DropReason, range: Range): void {
    this.#options.reporter.settled(reason, this.#stored.cut(range));
  }

  /** Works while no other tab does, and knows what they left. */
  async #alone(work: (journal: Journal) => Promise<void>): Promise<void> {
    const journal = await this.#open();
    const { sharing } = journal;
    if (sharing === undefined) return work(journal);
    return sharing.hold(async () => {
      await sharing.refresh();
      await work(journal);
    });
  }

  /** Resolves as `settled`. */
  #inTurn(turn: () => Promise<unknown>): Promise<boolean> {
    this.#turns.push(turn);
    return this.settled();
  }

  async #work(): Promise<void> {
    const { clock, reporter } = this.#options;
    // Not within track().
    await undefined;
    for (let [turn] = this.#turns; turn !== undefined; [turn] = this.#turns) {
      try {
        await turn();
        this.#turns.shift();
      } catch (error) {
        this.#retryTimer = clock.setTimeout(() => {
          this.#stopRetry();
          void this.write();
        }, RETRY_MS);
        this.#releaseAll();
        reporter.storageFailed(error);
        break;
      }
    }
    this.#working = undefined;
  }

  #stopRetry(): void {
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }
}
