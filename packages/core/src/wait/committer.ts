import { type Backoff, backoffDelayMs } from '@sluice/protocol';
import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import { Appends, checkedRange } from '../keep/appends.ts';
import { type Journal, together } from '../keep/journal.ts';
import type { Room } from '../keep/room.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Backlog } from './backlog.ts';

/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };
/** Some are written while one is synced, and share the next sync. */
const MOST_APPENDS = 4;

export interface CommitterOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly budget: Room;
  /** Whether its events are to be given up last where the journal is full. */
  readonly isLast?: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly intervalMs: number;
  /** There may be events that can be sent. */
  readonly onWritten: () => void;
  /** The journal failed; events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  /** The journal may work again: what it did not take is to be given to it with `secure`. */
  readonly onRecovered: () => Promise<void>;
  readonly reporter: Pick<Reporter, 'settled'>;
}

/**
 * Group commit: what waits in the ring is written to the journal in one write; while that is synced, the next group is
 * written. Where the journal fails, events are sent from memory, and those that are still there are written once it works.
 */
export class Committer {
  readonly #options: CommitterOptions;
  /** The interval of what waits. */
  readonly #interval: Alarm;
  /** Enough for a write of its own waits for others to be written with. */
  readonly #gathering: Alarm;
  /** A journal that failed is left alone. */
  readonly #pause: Alarm;
  readonly #appends = new Appends();
  #starting: Promise<void> | undefined;
  /** Whether it is to be seen again what is to be handed on. */
  #isAsked = false;
  #startsSoon = false;
  /** So many of all accepted events are to be written now; those behind them once their interval is over, or they are many. */
  #wanted = 0;
  #mostAppends = MOST_APPENDS;
  /** Whether a journal that failed is tried with what goes on in memory. */
  #isProbing = false;
  #failures = 0;
  /** Appends ever begun. */
  #tries = 0;

  constructor(options: CommitterOptions) {
    const { clock } = options;
    this.#options = options;
    this.#interval = new Alarm(clock, () => this.#tick());
    this.#gathering = new Alarm(clock, () => this.#startUnlessPaused());
    this.#pause = new Alarm(clock, () => void this.#retry());
  }

  /** Whether the journal failed when it was last tried. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  /**
   * Events were accepted: they are written within the interval, or at once where that is urgent or there are enough of them.
   * Costs next to nothing when that is under way.
   */
  notify(isUrgent = false): void {
    const { backlog, intervalMs } = this.#options;
    if (isUrgent) this.#wanted = backlog.accepted;
    if ((isUrgent || this.#isPressing) && this.#appends.size < MOST_APPENDS) this.#startSoon(isUrgent);
    this.#interval.set(intervalMs);
  }

  /** What the journal is being given. */
  get appends(): Pick<Appends, 'disown' | 'oldest' | 'take'> {
    return this.#appends;
  }

  /** The page may be gone soon: gives to the journal all that is accepted before this returns, as far as there is room. */
  async writeAll(): Promise<void> {
    this.#mostAppends = Number.POSITIVE_INFINITY;
    const written = this.commit();
    this.#mostAppends = MOST_APPENDS;
    await written;
  }

  /** Resolves once all that is accepted by now is written; to false as soon as the journal fails. */
  async write(): Promise<boolean> {
    const { backlog } = this.#options;
    const mark = backlog.accepted;
    this.#wanted = mark;
    const triesBefore = this.#tries;
    while (backlog.written < mark) {
      // A try that was under way already says nothing of how the journal is now.
      if (!(await this.#advance()) && this.#tries > triesBefore) return false;
    }
    if (backlog.unwritten === 0) this.#stopWaiting();
    return true;
  }

  /** Resolves once all that is accepted by now is written, or goes on in memory for good. */
  async commit(): Promise<void> {
    const { backlog, onWritten } = this.#options;
    const mark = backlog.accepted;
    do {
      if (await this.write()) return;
      // Others try too: what is in their hands is not to be given up.
      while (this.#starting !== undefined || this.#appends.size > 0) {
        await Promise.all([this.#starting, this.#appends.ended()]);
      }
      // One that was under way may have shown that the journal works again.
    } while (!this.failing);
    backlog.markMemoryOnly(Math.max(0, mark - backlog.written));
    onWritten();
  }

  /**
   * Writes events that are not in the ring: they were taken out of it while the journal failed, or are dead letters. Undefined
   * where the journal still fails, or is full.
   *
   * @param isTried Whether a journal that failed is tried, before its time has come.
   * @param holdMs As of `Journal.append`.
   */
  async secure(
    events: EventBytes,
    isTried: boolean = this.#isProbing,
    holdMs?: number,
  ): Promise<Range | undefined> {
    const { backlog, budget, isLast, journal, onRecovered } = this.#options;
    if (this.failing && !isTried) return undefined;
    const hasRoom =
      budget.hasRoom(events) || (await budget.makeRoom(events, isLast).catch(() => 'low')) === 'room';
    if (!hasRoom) return undefined;
    try {
      const range = checkedRange(await journal.append(events, holdMs), events);
      if (this.#recover()) {
        // No timer is left for what came while it failed.
        this.#wanted = backlog.accepted;
        void this.#start();
        if (!this.#isProbing) void onRecovered();
      }
      return range;
    } catch (error) {
      this.#fail(error);
      return undefined;
    } finally {
      budget.written(events);
    }
  }

  /** Cancels the timers. */
  stop(): void {
    this.#stopWaiting();
    this.#pause.cancel();
  }

  #stopWaiting(): void {
    this.#interval.cancel();
    this.#gathering.cancel();
  }

  /** The interval is over: for the oldest event that is in nobody's hands, or not yet. */
  #tick(): void {
    const { backlog, clock, intervalMs, onWritten } = this.#options;
    if (this.#pause.isSet) {
      onWritten();
      return;
    }
    const at = backlog.unwrittenAt(this.#appends.handed);
    if (at === undefined) return;
    const waitMs = at + intervalMs - clock.now();
    // More than the whole interval: the time of day was set back.
    if (waitMs > 0 && waitMs <= intervalMs) {
      this.#interval.set(waitMs);
      return;
    }
    this.#wanted = backlog.accepted;
    void this.#start();
  }

  /** Not now: this is `track()`. */
  #startSoon(isUrgent: boolean): void {
    if (this.#startsSoon || this.#pause.isSet) return;
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
    if (!this.#pause.isSet) void this.#start();
  }

  /** Hands on what is to be handed on now, and waits until one of the appends has ended. False where the journal fails. */
  async #advance(): Promise<boolean> {
    await this.#start();
    await this.#appends.next();
    return !this.failing;
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

  /** Whether more is to be written now than is in the appends under way. */
  get #isDue(): boolean {
    return this.#options.backlog.written + this.#appends.handed < this.#wanted || this.#isPressing;
  }

  get #isPressing(): boolean {
    return this.#options.backlog.isPressing(this.#appends.handed, this.#gathering.isSet ? MOST_APPENDS : 1);
  }

  async #startAppends(): Promise<void> {
    const { backlog, journal, budget, isLast, reporter } = this.#options;
    let { maxEvents } = journal.groupLimit;
    // What was under way when one failed is to end first.
    while (this.#isDue && this.#appends.size < (this.failing ? 1 : this.#mostAppends)) {
      const group = backlog.unwrittenGroup({ ...journal.groupLimit, maxEvents }, this.#appends.handed);
      if (group === undefined) return;
      // Not while they are written: they would be taken out from under the journal.
      backlog.sendsUnwritten = false;
      if (budget.hasRoom(group)) {
        this.#append(group);
        continue;
      }
      if (this.#appends.size > 0) return;
      const { written } = backlog;
      const room = await budget.makeRoom(group, isLast).catch((error: unknown) => ({ error }));
      if (backlog.written !== written) {
        // On the thread of its caller meanwhile, at a last moment that the process outlived.
        if (room === 'room') budget.written(group);
      } else if (room === 'room') {
        this.#append(group);
      } else if (room === 'full') {
        // The oldest of what is newest are kept, so that no event is dropped before one that is not.
        const kept = budget.fitting(group);
        if (kept > 0) {
          maxEvents = kept;
          continue;
        }
        backlog.dropUnwritten(group.ends.length);
        reporter.settled('journal-full', group.ends.length);
      } else {
        const low = new StorageError('the disk has too little room left for the journal');
        this.#tries += 1;
        this.#fail(room === 'low' ? low : room.error);
        backlog.sendsUnwritten = true;
        this.#options.onWritten();
        return;
      }
    }
  }

  #append(group: EventBytes): void {
    const { backlog, budget, journal, onWritten, onRecovered } = this.#options;
    this.#tries += 1;
    this.#appends.begin(group, () => journal.append(group), {
      succeeded: (range) => {
        backlog.markWritten(range);
        if (this.#recover()) void onRecovered();
      },
      failed: (error) => this.#fail(error),
      disowned: (range) => void journal.acknowledge(range).catch(() => undefined),
      over: () => {
        budget.written(group);
        if (this.failing && this.#appends.size === 0) backlog.sendsUnwritten = true;
        if (!this.failing && this.#isDue) void this.#start();
        onWritten();
      },
    });
  }

  /** Where nothing is left to be written, the journal is tried with what goes on in memory. */
  async #retry(): Promise<void> {
    const { backlog } = this.#options;
    // Nothing is handed on while those that were under way with the one that failed have not ended.
    await this.#appends.ended();
    if (backlog.unwritten > 0) {
      this.#wanted = backlog.accepted;
      return this.#start();
    }
    this.#isProbing = true;
    await this.#options.onRecovered();
    this.#isProbing = false;
  }

  /** The journal works. Returns whether it did not. */
  #recover(): boolean {
    const wasFailing = this.failing;
    this.#failures = 0;
    this.#pause.cancel();
    return wasFailing;
  }

  #fail(error: unknown): void {
    const { random, onFailed } = this.#options;
    this.#appends.disown();
    this.#pause.cancel();
    this.#pause.set(backoffDelayMs(this.#failures, RETRY, random));
    this.#failures += 1;
    onFailed(error);
  }
}
