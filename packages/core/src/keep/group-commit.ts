import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Reporter } from '../tell/reporter.ts';
import { type Journal, together } from './journal.ts';
import { type Entry, JournalWriter } from './journal-writer.ts';
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

interface GroupCommitOptions {
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
  readonly #writer: JournalWriter;
  #starting: Promise<void> | undefined;
  #isAsked = false;
  #startsSoon = false;
  /** Whether all events are to be written now; otherwise only once there are enough of them. */
  #wantsAll = false;
  /** Whether those are to be written now that wait for no others. */
  #wantsUrgent = false;
  #mostAppends: number;

  constructor(options: GroupCommitOptions) {
    const { clock, isStrict, journal, onChange, onFailed, onRecovered, random, reporter, room } = options;
    this.#options = options;
    this.#mostAppends = isStrict ? 1 : MOST_APPENDS;
    this.#interval = new Alarm(clock, () => this.#tick());
    this.#gathering = new Alarm(clock, () => this.#startUnlessPaused());
    this.#writer = new JournalWriter({
      journal,
      room,
      clock,
      random,
      reporter,
      onEnd: () => {
        if (!this.#writer.isResting && this.#isDue) void this.#start();
        onChange();
      },
      onFailed: (error) => {
        onFailed(error);
        onChange();
      },
      onRecovered: () => {
        onRecovered();
        // What came while it failed.
        void this.#writeAll();
      },
      onRetry: () => void this.#writeAll(),
    });
  }

  /** Whether the journal failed when it was last tried. */
  get isFailing(): boolean {
    return this.#writer.isFailing;
  }

  /** Whether unwritten events may be sent: the journal failed, and no append of before is in progress any more. */
  get sendsUnwritten(): boolean {
    return this.#writer.sendsUnwritten;
  }

  /** Whether an append is in progress. */
  get isWriting(): boolean {
    return this.#writer.inProgress > 0;
  }

  /** Events were accepted: they are written within the interval, or at once if that is urgent or there are enough of them. */
  notify(isUrgent: boolean): void {
    if (isUrgent) this.#wantsUrgent = true;
    if ((isUrgent || this.#isPressing) && this.#writer.inProgress < this.#mostAppends)
      this.#startSoon(isUrgent);
    this.#interval.set(this.#options.intervalMs);
  }

  /** Resolves once `isDone` returns true; to false as soon as the journal fails. */
  async write(isDone: () => boolean): Promise<boolean> {
    const { unwritten } = this.#options;
    const { tries } = this.#writer;
    while (!isDone()) {
      // A failure of an append that was in progress already says nothing of how the journal is now.
      if (this.isFailing && !this.isWriting && this.#writer.tries > tries) return false;
      await this.#writeAll();
      // Nothing is left to be written here: others see to it.
      if (unwritten.isEmpty && !this.isWriting) return isDone();
      await this.#writer.ended();
    }
    if (unwritten.isEmpty) this.#rest();
    return true;
  }

  /** Resolves once `isDone` returns true, or the journal fails: events are sent from memory then. */
  async commit(isDone: () => boolean): Promise<void> {
    if (!(await this.write(isDone))) this.#options.onChange();
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
    if (!this.isFailing && this.#options.room.hasRoom(entry.events)) this.#writer.append(entry, holdMs);
    else entry.handBack();
  }

  /** Writes other events than those in memory, also if the journal failed before. Undefined if it fails or is full. */
  put(events: EventBytes): Promise<Range | undefined> {
    return this.#writer.put(events);
  }

  /**
   * Writes all events before it returns, those of appends in progress included: they may not be written. For the last moment of
   * a process. Throws if the journal fails.
   */
  writeSync(): void {
    const { journal, unwritten } = this.#options;
    this.#writer.writeSync(() => unwritten.next(journal.groupLimit, false));
  }

  /** Resolves once nothing is in progress: also what became of events that ended while they were written. */
  async stop(): Promise<void> {
    for (const timer of [this.#interval, this.#gathering]) timer.cancel();
    this.#writer.stop();
    while (this.#starting || this.isWriting) await (this.#starting ?? this.#writer.ended());
    await this.#writer.released();
  }

  #tick(): void {
    const { unwritten, clock, intervalMs, onChange } = this.#options;
    if (this.#writer.isResting) {
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
    if (this.#startsSoon || this.#writer.isResting) return;
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
    if (!this.#writer.isResting) void this.#start();
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
    return this.#options.unwritten.parcels - this.#writer.inProgress >= most;
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
        this.#writer.append(entry);
        continue;
      }
      if (this.isWriting) {
        entry.handBack();
        return;
      }
      const kept = await this.#writer.makeRoom(entry);
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
    return this.#writer.inProgress < (this.isFailing ? 1 : this.#mostAppends);
  }
}
