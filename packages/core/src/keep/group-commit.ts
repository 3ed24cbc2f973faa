import { type Backoff, backoffDelayMs } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import { Turns } from '../base/turns.ts';
import { Budget, type BudgetOptions } from './budget.ts';
import { called, checked, type Journal } from './journal.ts';
import type { Handed, Unwritten } from './unwritten.ts';

/** Appends at once: some are written while one is synced, and share the next sync. */
const MOST_APPENDS = 4;
/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };

type Entry = Pick<Handed, 'events' | 'placed' | 'handBack'>;

interface GroupCommitOptions extends BudgetOptions {
  readonly journal: Journal;
  readonly waiting: Unwritten & BudgetOptions['waiting'];
  readonly random: () => number;
  readonly commitIntervalMs: number;
  /** Whether events must be written in their order even if an append fails: then there is one append at a time. */
  readonly isStrict: boolean;
  readonly onChange: () => void;
  readonly onFailed: (error: unknown) => void;
  readonly onRecovered: () => void;
}

/**
 * Group commit: writes the events in memory to the journal, many with each append. A journal that failed is left alone for a while.
 * Meanwhile events are sent from memory; those that are still there are written once it works.
 */
export class GroupCommit {
  readonly budget: Budget;
  readonly #options: GroupCommitOptions;
  /** Rings when events have waited for others to be written with. */
  readonly #interval: Alarm;
  /** Runs while a journal that failed is left alone. */
  readonly #pause: Alarm;
  /** Appends in progress, and what waits for room, in the order of their start. `writeNow` takes entries out and writes them. */
  readonly #entries = new Set<Entry>();
  /** Set while an entry waits for room in the journal. */
  #starting: Promise<void> | undefined;
  #startsSoon = false;
  /** Whether all events are to be written now, not only once there are enough of them. */
  #wantsAll = false;
  #wantsUrgent = false;
  #waiters: (() => void)[] = [];
  #tries = 0;
  #failures = 0;
  /** Number of changes between working and failing. A result says nothing if the journal has changed since its append started. */
  #changes = 0;
  /** Whether unwritten events may be sent: the journal failed, and no append of before is in progress any more. */
  sendsUnwritten = false;
  /** Releases of ranges that nobody needs. */
  readonly #releases = new Turns();

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.budget = new Budget(options);
    this.#interval = new Alarm(options.clock, () => this.#tick());
    this.#pause = new Alarm(options.clock, () => void this.#writeAll());
  }

  /** Whether the journal failed when it was last tried. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Events were accepted: they are written within the interval, or at once if that is urgent or there are enough of them. */
  notify(isUrgent: boolean): void {
    if (isUrgent) this.#wantsUrgent = true;
    this.#interval.set(this.#options.commitIntervalMs);
    const isNow = (isUrgent || this.#isPressing) && this.#hasTurn;
    if (!isNow || this.#startsSoon || this.#pause.isSet) return;
    this.#startsSoon = true;
    // Not at once: this is `track()`.
    queueMicrotask(() => {
      this.#startsSoon = false;
      if (!this.#pause.isSet) void this.#start();
    });
  }

  /** Resolves once `isDone` returns true; to false as soon as the journal fails. */
  async write(isDone: () => boolean): Promise<boolean> {
    const tries = this.#tries;
    const isEmpty = () => this.#options.waiting.unwrittenSince === undefined;
    while (!isDone()) {
      // An earlier append that fails only now says nothing about the journal.
      if (this.isFailing && this.#entries.size === 0 && this.#tries > tries) return false;
      await this.#writeAll();
      // Nothing is left to write here.
      if (isEmpty() && this.#entries.size === 0) return isDone();
      await this.#ended();
    }
    if (isEmpty()) this.#rest();
    return true;
  }

  /** Writes events that are not among the waiting ones, even if the journal failed before. Undefined if it fails or is full. */
  async put(events: EventBytes): Promise<Range | undefined> {
    const { budget } = this;
    const has = budget.hasRoom(events) || (await budget.makeRoom(events).catch(() => 'low')) === 'room';
    if (!has) return undefined;
    return new Promise((resolve) => {
      const end = (range?: Range) => void resolve(range);
      this.#append({ events, placed: end, handBack: end });
    });
  }

  /** For the last moment of a process: writes all events before it returns. Throws if the journal fails. */
  writeNow(): void {
    const { journal, waiting } = this.#options;
    if (journal.appendSync === undefined) return;
    // Events of pending appends come first: they may not be written yet.
    const taken = [...this.#entries];
    this.#entries.clear();
    const next = () => taken.shift() ?? waiting.hand(journal.groupLimit, false);
    let entry: Entry | undefined;
    try {
      for (entry = next(); entry; entry = next()) {
        const [range, error] = checked(journal.appendSync(entry.events), entry.events);
        if (range === undefined) throw error;
        entry.placed(range);
      }
    } finally {
      for (const left of [entry, ...taken]) left?.handBack();
    }
  }

  /** Resolves once nothing is in progress: also what became of events that ended while they were written. */
  async stop(): Promise<void> {
    this.#interval.cancel();
    while (this.#starting || this.#entries.size > 0) await this.#ended();
    this.#pause.cancel();
    await this.#releases.ended();
  }

  #tick(): void {
    const { clock, commitIntervalMs, onChange, waiting } = this.#options;
    const at = waiting.unwrittenSince;
    const waitMs = (at ?? 0) + commitIntervalMs - clock.now();
    if (this.#pause.isSet) onChange();
    else if (at === undefined) return;
    // More than the whole interval: the time of day was set back.
    else if (waitMs > 0 && waitMs <= commitIntervalMs) this.#interval.set(waitMs);
    else void this.#writeAll();
  }

  #writeAll(): Promise<void> {
    this.#wantsAll = true;
    return this.#start();
  }

  /**
   * Gives the journal what is due, in at most `MOST_APPENDS` appends at once. If an entry waits for room, resolves once it has room,
   * or gets none. @param fitting The most events of an append.
   */
  #start(fitting?: number): Promise<void> {
    const { journal, waiting } = this.#options;
    while (!this.#starting && this.#isDue && this.#hasTurn) {
      const isUrgent = !this.#wantsAll && !this.#isPressing;
      const { groupLimit } = journal;
      const entry = waiting.hand(fitting ? { ...groupLimit, maxEvents: fitting } : groupLimit, isUrgent);
      if (!entry) {
        this.#wantsUrgent = false;
        if (!isUrgent) this.#rest();
        break;
      }
      if (this.budget.hasRoom(entry.events)) this.#append(entry);
      else if (this.#entries.size > 0) {
        entry.handBack();
        break;
      } else
        this.#starting = this.#fit(entry).then((count) => {
          this.#starting = undefined;
          // If it was appended, that may have failed already: a journal that rejects at once would be tried for ever.
          if (count || !this.#pause.isSet) void this.#start(count);
        });
    }
    return this.#starting ?? Promise.resolve();
  }

  /** Makes room for events and appends them. Resolves to how many of them there is room for, if there is only room for some. */
  async #fit(entry: Handed): Promise<number | undefined> {
    const { onChange, reporter, waiting } = this.#options;
    const { budget } = this;
    const { events, isLast } = entry;
    this.#entries.add(entry);
    const found = waiting.isGivenUp
      ? 'full'
      : await budget.makeRoom(events, isLast).catch((error: unknown) => ({ error }));
    // Otherwise the process outlived a last moment, which wrote them.
    const isOurs = this.#entries.delete(entry);
    if (found === 'room' && isOurs && !waiting.isGivenUp) return void this.#append(entry);
    if (found === 'room') budget.written(events);
    if (!isOurs) return undefined;
    if (found === 'room' || waiting.isGivenUp) entry.forsake();
    else if (found === 'full') {
      // The oldest of the newest are kept, so that no event is dropped before an older one.
      const fitting = budget.fitting(events);
      if (fitting > 0) {
        entry.handBack();
        return fitting;
      }
      reporter.settled('journal-full', entry.drop());
      // The journal may have all that is left of its parcel.
      onChange();
    } else {
      entry.handBack();
      this.#tries += 1;
      this.#fails(found === 'low' ? new StorageError('too little room is left on the disk') : found.error);
    }
    return undefined;
  }

  /** Gives events to the journal before it returns. The caller has asked for room. */
  #append(entry: Entry): void {
    const { journal, onChange } = this.#options;
    const changes = this.#changes;
    const { events } = entry;
    this.#tries += 1;
    this.#entries.add(entry);
    const end = (range: Range | undefined, error?: unknown) => {
      // Otherwise `writeNow()` has written the events: nobody needs this copy.
      const isOurs = this.#entries.delete(entry);
      const unneeded = range && isOurs ? entry.placed(range) : range;
      if (unneeded) this.#releases.take(() => journal.acknowledge(unneeded)).catch(() => undefined);
      if (!range && isOurs) entry.handBack();
      if (isOurs && changes === this.#changes) {
        if (!range) this.#fails(error);
        else if (this.isFailing) this.#works();
      }
      this.budget.written(events);
      this.#updateSends();
      if (!this.#pause.isSet && this.#isDue) void this.#start();
      onChange();
      for (const wake of this.#waiters.splice(0)) wake();
    };
    // Handle the result with no further await: the process may be ending, and the last write must know what is written.
    called(() => journal.append(events)).then(
      (range) => end(...checked(range, events)),
      (error: unknown) => end(undefined, error),
    );
  }

  /** Resolves once an append has ended, or what waited for room is dealt with; at once if nothing is in progress. */
  async #ended(): Promise<void> {
    if (this.#starting) await this.#starting;
    else if (this.#entries.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #rest(): void {
    this.#wantsAll = false;
    this.#interval.cancel();
  }

  get #isPressing(): boolean {
    return this.#options.waiting.unwrittenParcels > this.#entries.size;
  }

  get #isDue(): boolean {
    return this.#wantsAll || this.#wantsUrgent || this.#isPressing;
  }

  get #hasTurn(): boolean {
    // While the journal fails, one append at a time tries it.
    return this.#entries.size < (this.isFailing || this.#options.isStrict ? 1 : MOST_APPENDS);
  }

  #works(): void {
    this.#changes += 1;
    this.#failures = 0;
    this.#pause.cancel();
    this.#updateSends();
    this.#options.onRecovered();
    void this.#writeAll();
  }

  #fails(error: unknown): void {
    const { onChange, onFailed, random } = this.#options;
    this.#changes += 1;
    this.#pause.cancel();
    this.#pause.set(backoffDelayMs(this.#failures, RETRY, random));
    this.#failures += 1;
    this.#updateSends();
    onFailed(error);
    onChange();
  }

  #updateSends(): void {
    this.sendsUnwritten = this.isFailing && (this.sendsUnwritten || this.#entries.size === 0);
  }
}
