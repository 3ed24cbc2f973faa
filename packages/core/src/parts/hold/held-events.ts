import { identified, inSession, outOfSession } from '../../accept/unidentified.ts';
import { Alarm } from '../../base/alarm.ts';
import type { Clock } from '../../base/clock.ts';
import { type EventBytes, encodeEvents, sliceEvents, splitEvents } from '../../base/event-bytes.ts';
import type { DropReason } from '../../base/fate.ts';
import { type Range, rangeLength } from '../../base/range.ts';
import { RangeQueue } from '../../base/range-queue.ts';
import { type Journal, together } from '../../keep/journal.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Sessions } from './sessions.ts';

const RETRY_MS = 30_000;
/** Groups passed to the journal at once. Before the next ones, other tasks of the page get a turn. */
const MOST_AT_ONCE = 4;
const decoder = new TextDecoder();

/** An accepted event that has to wait, for example until its user is known. */
export interface WaitingEvent {
  readonly text: string;
  readonly at: number;
  readonly isHigh: boolean;
}

/** Events in memory that were tracked between two changes of the identity. */
interface Stay {
  /** The id of their session, as soon as it is known. */
  session?: string;
  readonly events: WaitingEvent[];
}

export interface HeldEventsOptions {
  /** Creates a journal for held events alone. Called when it is first needed. */
  readonly createJournal: () => Journal;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** How long an event may wait in memory to be written together with others, in milliseconds. */
  readonly intervalMs: number;
  /** Maximum size of the held events, in bytes. */
  readonly maxBytes: number;
  /** How old an event may get, in milliseconds. */
  readonly maxAgeMs: number;
  /** Passes an event on, to be written and sent. */
  readonly enter: (event: WaitingEvent) => void;
  /** Passes stored events on, to be sent. Calls `onReplayed` when they wait in the tracker's own journal. */
  readonly replay: (events: EventBytes, onReplayed: () => void) => Promise<void>;
  readonly reporter: Pick<Reporter, 'emit' | 'recovered' | 'settled' | 'storageFailed'>;
}

/**
 * Holds events that were tracked before their user was known. They are stored without a user, and get their user once
 * `identify()` is called. An event leaves this place only once it waits to be sent. One operation runs at a time.
 */
export class HeldEvents {
  readonly #options: HeldEventsOptions;
  #journal: Journal | undefined;
  #opened: Promise<void> | undefined;
  /** Ranges that the journal holds. */
  readonly #stored = new RangeQueue();
  #stay: Stay = { events: [] };
  #customer: string | undefined;
  /** Those whose customer is known, but whose events are not passed on yet. */
  readonly #claimed = new Map<Stay, string>();
  /** Groups whose append is in progress, with their events. */
  readonly #writing = new Map<EventBytes, readonly WaitingEvent[]>();
  /** Number of events in memory, and the length of their texts. */
  #unwritten = 0;
  #bytes = 0;
  /** Operations to run, in order. If the first fails, all wait for it. */
  readonly #turns: (() => Promise<unknown>)[] = [];
  #working: Promise<void> | undefined;
  /** Runs until the events are written, or until the next try. */
  readonly #alarm: Alarm;
  #isFailing = false;

  constructor(options: HeldEventsOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => {
      this.#isFailing = false;
      void this.write();
    });
  }

  /** Held events. Those of previous processes count once they are found. */
  get pending(): number {
    return this.#unwritten + this.#stored.count;
  }

  /** Of these, those in memory only. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Holds an event until its user is known. Without room it is dropped: the first events tell where a customer came from. */
  hold(event: WaitingEvent): void {
    const { intervalMs, maxBytes, reporter } = this.#options;
    const { length } = event.text;
    if ((this.#journal?.bytes ?? 0) + this.#bytes + length > maxBytes) {
      reporter.settled('journal-full', 1);
      return;
    }
    this.#unwritten += 1;
    this.#bytes += length;
    this.#stay.events.push(event);
    // Look early: when the user leaves the page, there is no time for it.
    if (this.#opened === undefined && this.#turns.length === 0)
      void this.#inTurn(() => this.#look(this.#stay));
    this.#alarm.set(intervalMs);
  }

  /** The held events belong to this customer. */
  identify(customer: string): void {
    const stay = this.#stay;
    this.#stay = { events: [] };
    this.#customer = customer;
    this.#claimed.set(stay, customer);
    if (this.#isFailing) this.#release(stay);
    void this.#inTurn(() => this.#claim(stay, customer));
  }

  /** The held events belong to nobody: drops them, and starts a new session. */
  reset(reason: DropReason = 'unidentified'): void {
    const old = this.#stay;
    const stay: Stay = { events: [] };
    this.#stay = stay;
    this.#customer = undefined;
    this.#dropFresh(reason, old);
    void this.#inTurn(async () => {
      // An append in progress may have failed meanwhile. Then its events are back in memory: drop them too.
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

  /** Resolves to true once all held events are stored or passed on; to false as soon as storage fails. */
  write(): Promise<boolean> {
    if (this.#isFailing) return this.settled();
    this.#stopWaiting();
    if (this.#unwritten === 0) return this.settled();
    const stay = this.#stay;
    return this.#inTurn(async () => {
      await this.#append(await this.#look(stay), stay);
    });
  }

  /** Resolves to true once all operations have ended; to false as soon as storage fails. */
  async settled(): Promise<boolean> {
    if (this.#isFailing) return false;
    this.#working ??= this.#work();
    await this.#working;
    return this.#turns.length === 0;
  }

  /**
   * The process or page may end. Passes on the events that can go on, and writes the others on this thread. If the journal
   * cannot do that, passes them to the journal at once.
   */
  leave(): void {
    this.#releaseAll();
    const stay = this.#stay;
    if (this.#unwritten === 0) return;
    this.#journal ??= this.#options.createJournal();
    const journal = this.#journal;
    if (journal.appendSync !== undefined) this.#appendSync(journal, stay);
    else if (stay.session === undefined) void this.write();
    else {
      const written = this.#append(journal, stay, Number.POSITIVE_INFINITY);
      void this.#inTurn(() => written.catch(() => this.#append(journal, stay)));
    }
  }

  /** Stores what it can, and closes the journal. */
  async close(): Promise<void> {
    this.#stopWaiting();
    await this.write();
    this.#stopWaiting();
    this.#options.sessions.close();
    await this.#journal?.close();
  }

  /** Events that no lasting journal holds are dropped, as `closed`. */
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
          // They belong to a process or tab that ended after this one started.
          if (isOpen && this.#customer !== undefined) this.identify(this.#customer);
        },
        settled: (range, fate) => reporter.settled(fate, this.#stored.cut(range)),
        vanished: (segment) =>
          this.#dropStored('damaged', { segment, from: 0, to: Number.POSITIVE_INFINITY }),
        damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
        failed: reporter.storageFailed,
      })
      .then(() => this.#visit(journal))
      .catch(reporter.storageFailed)
      .then(() => {
        isOpen = true;
      });
    await this.#opened;
    return journal;
  }

  /** Opens the journal, and reads which session is the current one. */
  async #look(stay: Stay): Promise<Journal> {
    // Both at once: the user may leave the page soon.
    const [journal, session] = await Promise.all([this.#open(), this.#options.sessions.current()]);
    // Somebody signed out, or in, in another tab.
    if ((stay.session ?? session) !== session) this.#dropFresh('unidentified', stay);
    stay.session = session;
    return journal;
  }

  /** Passes the events that are in memory now to the journal. */
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

  /** Nothing is awaited before the journal gets the group. */
  async #appendGroup(journal: Journal, stay: Stay, group: EventBytes): Promise<void> {
    const events = stay.events.splice(0, group.ends.length);
    this.#writing.set(group, events);
    // False if the group was written on this thread meanwhile.
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

  /** Writes the groups whose append is in progress, in order, and then the other events in memory. */
  #appendSync(journal: Journal, stay: Stay): void {
    for (;;) {
      const [group = this.#group(journal, stay)] = this.#writing.keys();
      const range = group && journal.appendSync?.(group);
      if (group === undefined || range === undefined) return;
      this.#forgetTexts(this.#writing.get(group) ?? stay.events.splice(0, rangeLength(range)));
      this.#writing.delete(group);
      this.#keep(range);
    }
  }

  async #claim(stay: Stay, customer: string): Promise<void> {
    const theirs = await this.#options.sessions.claim(customer);
    if (theirs === undefined || (stay.session ?? theirs) !== theirs) this.#dropFresh('unidentified', stay);
    this.#release(stay);
    await this.#alone(async (journal) => {
      await this.#visit(journal, (text) => {
        const event = theirs === undefined ? undefined : outOfSession(text, theirs);
        return event && identified(event, customer);
      });
      await journal.reclaim?.();
    });
  }

  /**
   * Reads the stored events in parts. Drops events that are too old, which come first in each segment, and events that cannot
   * be read. With `stamp`, passes on the other events as it returns them, and drops those for which it returns undefined.
   * Without `stamp`, the other events stay.
   */
  async #visit(journal: Journal, stamp?: (text: string) => string | undefined): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    const before = clock.now() - maxAgeMs;
    // Half of a group's limit, because events grow when their user is added.
    const limit = { ...journal.groupLimit, maxBytes: journal.groupLimit.maxBytes / 2 };
    for (const stored of this.#stored.ranges) {
      for (let { from } = stored; from < stored.to; ) {
        const { events, range } = await journal.read({ ...stored, from }, limit);
        const { ends, times } = events;
        const fresh = ends.length === 0 ? -1 : (times?.findIndex((time) => !(time < before)) ?? 0);
        const gone = fresh < 0 ? range : { ...range, to: range.from + fresh };
        this.#dropStored(ends.length === 0 ? 'damaged' : 'expired', gone);
        const released = stamp ? range : gone;
        const rest = { ...range, from: gone.to };
        if (fresh >= 0 && stamp) await this.#send(sliceEvents(events, fresh, limit), rest, stamp);
        if (rangeLength(released) > 0) await journal.acknowledge(released);
        if (released !== range) break;
        from = Math.max(from + 1, range.to);
      }
    }
  }

  async #send(events: EventBytes, range: Range, stamp: (text: string) => string | undefined): Promise<void> {
    const stamped: string[] = [];
    const times: number[] = [];
    for (const [index, text] of splitEvents(events).entries()) {
      const event = stamp(decoder.decode(text));
      if (event === undefined) continue;
      stamped.push(event);
      times.push(events.times?.[index] ?? Number.NaN);
    }
    // Only the number matters: which index belongs to which event does not matter any more.
    const end = () => {
      this.#stored.cut({ ...range, to: range.from + stamped.length });
      this.#dropStored('unidentified', range);
    };
    if (stamped.length > 0) await this.#options.replay(encodeEvents(stamped, times), end);
    else end();
  }

  /** Passes on the events in memory, if their customer is known. */
  #release(stay: Stay): void {
    const customer = this.#claimed.get(stay);
    this.#claimed.delete(stay);
    if (customer === undefined) return;
    for (const event of stay.events.splice(0)) {
      this.#forgetTexts([event]);
      this.#options.enter({ ...event, text: identified(event.text, customer) });
    }
  }

  #releaseAll(): void {
    for (const stay of this.#claimed.keys()) this.#release(stay);
  }

  /** The oldest events in memory in their stored form, as many as one append takes; undefined if there are none. */
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

  /** Events are no longer in memory. */
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

  /** Runs the work while no other tab works, after reading what other tabs left. */
  async #alone(work: (journal: Journal) => Promise<void>): Promise<void> {
    const journal = await this.#open();
    const { sharing } = journal;
    if (sharing === undefined) return work(journal);
    return sharing.hold(async () => {
      await sharing.refresh();
      await work(journal);
    });
  }

  /** Runs an operation after those before it. Resolves as `settled()` does. */
  #inTurn(turn: () => Promise<unknown>): Promise<boolean> {
    this.#turns.push(turn);
    return this.settled();
  }

  async #work(): Promise<void> {
    const { reporter } = this.#options;
    // Not within the call of `track()`.
    await undefined;
    for (let [turn] = this.#turns; turn !== undefined; [turn] = this.#turns) {
      try {
        await turn();
        this.#turns.shift();
      } catch (error) {
        this.#stopWaiting();
        this.#isFailing = true;
        this.#alarm.set(RETRY_MS);
        this.#releaseAll();
        reporter.storageFailed(error);
        break;
      }
    }
    this.#working = undefined;
  }

  #stopWaiting(): void {
    this.#alarm.cancel();
    this.#isFailing = false;
  }
}
