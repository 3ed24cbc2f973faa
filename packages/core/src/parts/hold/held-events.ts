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
  readonly events: WaitingEvent[];
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
  readonly reporter: Pick<Reporter, 'emit' | 'recovered' | 'settled' | 'storageFailed'>;
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
  readonly #claimed = new Map<Stay, string>();
  /** What is given to the journal just now. */
  readonly #writing = new Map<EventBytes, readonly WaitingEvent[]>();
  /** Events in memory, and the length of their texts. */
  #unwritten = 0;
  #bytes = 0;
  /** What is to be done. Where the first fails, all wait for it. */
  readonly #turns: (() => Promise<unknown>)[] = [];
  #working: Promise<void> | undefined;
  /** Until it is written, or tried again. */
  readonly #alarm: Alarm;
  #isFailing = false;

  constructor(options: HeldEventsOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => {
      this.#isFailing = false;
      void this.write();
    });
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
    const { intervalMs, maxBytes, reporter } = this.#options;
    const { length } = event.text;
    if ((this.#journal?.bytes ?? 0) + this.#bytes + length > maxBytes) {
      reporter.settled('journal-full', 1);
      return;
    }
    this.#unwritten += 1;
    this.#bytes += length;
    this.#stay.events.push(event);
    // Early: when the page is left, there is no time for it.
    if (this.#opened === undefined && this.#turns.length === 0)
      void this.#inTurn(() => this.#look(this.#stay));
    this.#alarm.set(intervalMs);
  }

  /** What is held is this customer's. */
  identify(customer: string): void {
    const stay = this.#stay;
    this.#stay = { events: [] };
    this.#customer = customer;
    this.#claimed.set(stay, customer);
    if (this.#isFailing) this.#release(stay);
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
    if (this.#isFailing) return this.settled();
    this.#stopWaiting();
    if (this.#unwritten === 0) return this.settled();
    const stay = this.#stay;
    return this.#inTurn(async () => {
      await this.#append(await this.#look(stay), stay);
    });
  }

  /** Resolves once all that was begun is done; to false as soon as storage fails. */
  async settled(): Promise<boolean> {
    if (this.#isFailing) return false;
    this.#working ??= this.#work();
    await this.#working;
    return this.#turns.length === 0;
  }

  /**
   * The process or page may end: what can go on does, and what is in memory is written on this thread, or where the journal
   * cannot do that, given to it at once.
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

  /** Stores what it can, and gives everything back. */
  async close(): Promise<void> {
    this.#stopWaiting();
    await this.write();
    this.#stopWaiting();
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

  /** Finds out which session is under way. */
  async #look(stay: Stay): Promise<Journal> {
    // At once: the page may be left soon.
    const [journal, session] = await Promise.all([this.#open(), this.#options.sessions.current()]);
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
    // Unless they were written on this thread meanwhile.
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

  /** What is in memory, and what is under way, from the first on. */
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
   * Reads what is stored bit by bit. Drops what is too old, which in each segment is first, and what cannot be read; what is not
   * goes on its road as `stamp` has it, or is dropped where that has nothing. Without it the rest stays.
   */
  async #visit(journal: Journal, stamp?: (text: string) => string | undefined): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    const before = clock.now() - maxAgeMs;
    // Half of what the journal takes at once: they grow by the length of their user.
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
    // By number: which of them goes does not matter any more.
    const end = () => {
      this.#stored.cut({ ...range, to: range.from + stamped.length });
      this.#dropStored('unidentified', range);
    };
    if (stamped.length > 0) await this.#options.replay(encodeEvents(stamped, times), end);
    else end();
  }

  /** Puts on the road what memory holds for a customer. */
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
    const { reporter } = this.#options;
    // Not within track().
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
