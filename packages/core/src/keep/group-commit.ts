import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Appends, checkedRange, type Entry } from './appends.ts';
import { Health } from './health.ts';
import { type Journal, together } from './journal.ts';
import type { Room } from './room.ts';

/** Appends at once: some are written while one is synced, and share the next sync. */
const MOST_APPENDS = 4;
/** This many times as much is written together if events are gathered. */
const GATHERED = 4;

/** The events in memory that no journal has or is given. */
export interface Unwritten {
  readonly isEmpty: boolean;
  /** When the oldest of them was accepted. */
  readonly oldestAt: number | undefined;
  /** Number of parcels that are worth a write of their own, or are being written. */
  readonly parcels: number;
  /** Takes the next of them; undefined if there are none. @param isUrgent Takes only those that wait for no others. */
  next(limit: Limit, isUrgent: boolean): Entry | undefined;
}

export interface GroupCommitOptions {
  readonly unwritten: Unwritten;
  readonly journal: Journal;
  readonly room: Room;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly intervalMs: number;
  /** Whether events must be written in their order even if an append fails: then there is one append at a time. */
  readonly isStrict: boolean;
  /** There may be events that can be sent. */
  readonly onChange: () => void;
  /** The journal failed. Events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
  readonly reporter: Pick<Reporter, 'settled'>;
}

/**
 * Group commit: writes the events in memory to the journal, many with each append. If the journal fails, events are sent from
 * memory, and those that are still there are written once it works.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** Rings when events have waited for others to be written with. */
  readonly #interval: Alarm;
  /** Rings when enough events for a write have waited for more. */
  readonly #gathering: Alarm;
  readonly #health: Health;
  readonly #appends = new Appends();
  #starting: Promise<void> | undefined;
  #isAsked = false;
  #startsSoon = false;
  /** Whether all events are to be written now; otherwise only once there are enough of them. */
  #wantsAll = false;
  /** Whether those are to be written now that wait for no others. */
  #wantsUrgent = false;
  #mostAppends: number;
  #sendsUnwritten = false;
  /** Resolves once ranges that nobody needs are released. */
  #released: Promise<void> = Promise.resolve();
  /** Appends ever started. */
  #tries = 0;

  constructor(options: GroupCommitOptions) {
    const { clock, isStrict, onChange, onFailed, onRecovered, random } = options;
    this.#options = options;
    this.#mostAppends = isStrict ? 1 : MOST_APPENDS;
    this.#interval = new Alarm(clock, () => this.#tick());
    this.#gathering = new Alarm(clock, () => this.#startUnlessPaused());
    this.#health = new Health({
      clock,
      random,
      onFailed: (error) => {
        this.#sendsUnwritten ||= this.#appends.size === 0;
        onFailed(error);
        onChange();
      },
      onRecovered: () => {
        this.#sendsUnwritten = false;
        onRecovered();
        // What came while it failed.
        void this.#writeAll();
      },
      onRetry: () => void this.#writeAll(),
    });
  }

  /** Whether the journal failed when it was last tried. */
  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  /** Whether unwritten events may be sent: the journal failed, and no append of before is in progress any more. */
  get sendsUnwritten(): boolean {
    return this.#sendsUnwritten;
  }

  /** Whether an append is in progress. */
  get isWriting(): boolean {
    return this.#appends.size > 0;
  }

  /** Events were accepted: they are written within the interval, or at once if that is urgent or there are enough of them. */
  notify(isUrgent: boolean): void {
    if (isUrgent) this.#wantsUrgent = true;
    if ((isUrgent || this.#isPressing) && this.#appends.size < this.#mostAppends) this.#startSoon(isUrgent);
    this.#interval.set(this.#options.intervalMs);
  }

  /** Resolves once `isDone` returns true; to false as soon as the journal fails. */
  async write(isDone: () => boolean): Promise<boolean> {
    const { unwritten } = this.#options;
    const tries = this.#tries;
    while (!isDone()) {
      // A failure of an append that was in progress already says nothing of how the journal is now.
      if (this.isFailing && this.#appends.size === 0 && this.#tries > tries) return false;
      await this.#writeAll();
      // Nothing is left to be written here: others see to it.
      if (unwritten.isEmpty && this.#appends.size === 0) return isDone();
      await this.#appends.next();
    }
    if (unwritten.isEmpty) this.#rest();
    return true;
  }

  /** Resolves once `isDone` returns true, or the journal fails: events are sent from memory then. */
  async commit(isDone: () => boolean): Promise<void> {
    do {
      if (await this.write(isDone)) return;
    } while (!this.isFailing);
    this.#options.onChange();
  }

  /** Gives all events to the journal before it returns, as far as there is room: the page may be gone soon. */
  writeNow(): void {
    const most = this.#mostAppends;
    this.#mostAppends = Number.POSITIVE_INFINITY;
    void this.#writeAll();
    this.#mostAppends = most;
  }

  /** Gives events to the journal before it returns, if there is room. @param holdMs As of `Journal.append`. */
  writeOne(entry: Entry, holdMs?: number): void {
    const { journal, room } = this.#options;
    if (!this.isFailing && room.hasRoom(entry.events))
      this.#append(entry, () => journal.append(entry.events, holdMs));
    else entry.handBack();
  }

  /** Writes other events than those in memory, also if the journal failed before. Undefined if it fails or is full. */
  async put(events: EventBytes): Promise<Range | undefined> {
    const { journal, room } = this.#options;
    const has = room.hasRoom(events) || (await room.makeRoom(events).catch(() => 'low')) === 'room';
    if (!has) return undefined;
    const { changes } = this.#health;
    try {
      const range = checkedRange(await journal.append(events), events);
      this.#health.works(changes);
      return range;
    } catch (error) {
      this.#health.fails(error, changes);
      return undefined;
    } finally {
      room.written(events);
    }
  }

  /**
   * Writes all events before it returns, those of appends in progress included: they may not be written. For the last moment of
   * a process. Throws if the journal fails.
   */
  writeSync(): void {
    const { journal, unwritten } = this.#options;
    if (journal.appendSync === undefined) return;
    const entries = this.#appends.takeOver();
    const next = () => entries[0] ?? unwritten.next(journal.groupLimit, false);
    for (let entry = next(); entry; entry = next()) {
      if (entries.length === 0) entries.push(entry);
      try {
        entry.placed(checkedRange(journal.appendSync(entry.events), entry.events));
        entries.shift();
      } catch (error) {
        for (const one of entries) one.handBack();
        throw error;
      }
    }
  }

  /** Resolves once nothing is in progress: also what became of events that ended while they were written. */
  async stop(): Promise<void> {
    for (const timer of [this.#interval, this.#gathering]) timer.cancel();
    this.#health.stop();
    while (this.#starting || this.#appends.size > 0) await (this.#starting ?? this.#appends.next());
    await this.#released;
  }

  #tick(): void {
    const { unwritten, clock, intervalMs, onChange } = this.#options;
    if (this.#health.isResting) {
      onChange();
      return;
    }
    const at = unwritten.oldestAt;
    if (at === undefined) return;
    const waitMs = at + intervalMs - clock.now();
    // More than the whole interval: the time of day was set back.
    if (waitMs > 0 && waitMs <= intervalMs) this.#interval.set(waitMs);
    else void this.#writeAll();
  }

  /** Not now: this is `track()`. */
  #startSoon(isUrgent: boolean): void {
    if (this.#startsSoon || this.#health.isResting) return;
    const gatherMs = isUrgent || this.#gathering.isSet ? 0 : this.#options.journal.gatherMs;
    if (gatherMs) {
      this.#gathering.set(gatherMs);
    } else {
      this.#startsSoon = true;
      queueMicrotask(() => this.#startUnlessPaused());
    }
  }

  #startUnlessPaused(): void {
    this.#startsSoon = false;
    this.#gathering.cancel();
    if (!this.#health.isResting) void this.#start();
  }

  #writeAll(): Promise<void> {
    this.#wantsAll = true;
    return this.#start();
  }

  #start(): Promise<void> {
    this.#isAsked = true;
    this.#starting ??= this.#startAll();
    return this.#starting;
  }

  async #startAll(): Promise<void> {
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await together(this.#options.journal, () => this.#startAppends());
      }
    } finally {
      this.#starting = undefined;
    }
  }

  get #isPressing(): boolean {
    const most = this.#gathering.isSet ? GATHERED : 1;
    return this.#options.unwritten.parcels - this.#appends.size >= most;
  }

  async #startAppends(): Promise<void> {
    const { unwritten, journal, room } = this.#options;
    let { maxEvents } = journal.groupLimit;
    while (this.#isDue && this.#hasTurn) {
      const isUrgent = !this.#wantsAll && !this.#isPressing;
      const entry = unwritten.next({ ...journal.groupLimit, maxEvents }, isUrgent);
      if (entry === undefined) {
        this.#wantsUrgent = false;
        if (!isUrgent) this.#rest();
        return;
      }
      if (room.hasRoom(entry.events)) {
        this.#append(entry);
        continue;
      }
      if (this.#appends.size > 0) {
        entry.handBack();
        return;
      }
      const kept = await this.#makeRoom(entry);
      if (kept === undefined) return;
      maxEvents = kept;
    }
  }

  /** All is given to the journal. */
  #rest(): void {
    this.#wantsAll = false;
    this.#interval.cancel();
    this.#gathering.cancel();
  }

  get #isDue(): boolean {
    return this.#wantsAll || this.#wantsUrgent || this.#isPressing;
  }

  /** While the journal fails, one append at a time tries it. */
  get #hasTurn(): boolean {
    return this.#appends.size < (this.isFailing ? 1 : this.#mostAppends);
  }

  /** Returns how many events to try next; undefined if none. */
  async #makeRoom(entry: Entry): Promise<number | undefined> {
    const { journal, room, reporter } = this.#options;
    const { events } = entry;
    const { maxEvents } = journal.groupLimit;
    this.#appends.hold(entry);
    const found = await room.makeRoom(events, entry.isLast).catch((error: unknown) => ({ error }));
    if (!this.#appends.release(entry)) {
      // The process outlived a last moment, which wrote them.
      if (found === 'room') room.written(events);
      return maxEvents;
    }
    if (found === 'room') {
      this.#append(entry);
      return maxEvents;
    }
    if (found === 'full') {
      // The oldest of the newest are kept, so that no event is dropped before an older one.
      const fitting = room.fitting(events);
      if (fitting > 0) {
        entry.handBack();
        return fitting;
      }
      reporter.settled('journal-full', entry.drop());
      return maxEvents;
    }
    entry.handBack();
    this.#tries += 1;
    const low = new StorageError('the disk has too little room left for the journal');
    this.#health.fails(found === 'low' ? low : found.error);
    return undefined;
  }

  #append(entry: Entry, call: () => Promise<Range> = () => this.#options.journal.append(entry.events)): void {
    const { journal, onChange, room } = this.#options;
    const { changes } = this.#health;
    const release = (range: Range) => {
      this.#released = this.#released.then(() => journal.acknowledge(range)).catch(() => undefined);
    };
    this.#tries += 1;
    this.#appends.begin(entry, call, {
      written: (range) => {
        const unneeded = entry.placed(range);
        if (unneeded) release(unneeded);
        this.#health.works(changes);
      },
      failed: (error) => {
        entry.handBack();
        this.#health.fails(error, changes);
      },
      unneeded: release,
      over: () => {
        room.written(entry.events);
        this.#sendsUnwritten = this.isFailing && (this.#sendsUnwritten || this.#appends.size === 0);
        if (!this.#health.isResting && this.#isDue) void this.#start();
        onChange();
      },
    });
  }
}
