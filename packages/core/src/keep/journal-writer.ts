import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Budget } from './budget.ts';
import type { Journal } from './journal.ts';

/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };

/** Events that are given to the journal in one append. */
interface Entry {
  readonly events: EventBytes;
  /** The journal has them. Returns the range if nobody needs it any more, because the events ended meanwhile. */
  placed(range: Range): Range | undefined;
  /** The append failed: they are unwritten again. */
  handBack(): void;
}

/** Unwritten events of a parcel. */
export interface Handed extends Entry {
  /** Whether events like these are given up last. */
  readonly isLast: boolean;
  /** The journal is full: the events end. Returns how many had not ended before. */
  drop(): number;
  /** They are never given to the journal again. */
  forsake(): void;
}

/** All that waits, as far as it is in memory alone. */
interface Unwritten {
  /** When the oldest event was accepted that no journal has or is given. Undefined if there are none. */
  readonly unwrittenSince: number | undefined;
  /** Number of parcels that are worth a write of their own, or are being written. */
  readonly unwrittenParcels: number;
  /** Hands the next of these events to the journal; undefined if there are none. @param isUrgent Only those that wait for no others. */
  hand(limit: Limit, isUrgent: boolean): Handed | undefined;
}

interface JournalWriterOptions {
  readonly journal: Journal;
  readonly budget: Budget;
  readonly waiting: Unwritten;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reporter: Pick<Reporter, 'settled'>;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly commitIntervalMs: number;
  /** Whether events must be written in their order even if an append fails: then there is one append at a time. */
  readonly isStrict: boolean;
  /** There may be events that can be sent. */
  readonly onChange: () => void;
  /** The journal failed. Events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
}

/**
 * Makes the appends, several at once, and knows from them whether the journal works. One that failed is left alone for a while
 * before it is tried again.
 */
export abstract class JournalWriter {
  readonly options: JournalWriterOptions;
  /** Appends ever started. */
  protected tries = 0;
  /**
   * What is being appended, or waits for room in the journal, in the order in which that started. Others see to an entry that they
   * take out: its append may not be done.
   */
  readonly #entries = new Set<Entry>();
  /** Resolves once no more is given to the journal now. Until then, what waits for room in it may be dropped without an append. */
  protected starting: Promise<void> | undefined;
  /** Called when the next append has ended. */
  #waiters: (() => void)[] = [];
  /** Runs until a journal that failed is tried again. */
  readonly #pause: Alarm;
  #failures = 0;
  /** Number of changes between working and failing. A result says nothing if the journal has changed since its append started. */
  #changes = 0;
  #sendsUnwritten = false;
  /** Resolves once ranges that nobody needs are released. */
  #released: Promise<void> = Promise.resolve();

  constructor(options: JournalWriterOptions) {
    this.options = options;
    this.#pause = new Alarm(options.clock, () => this.retry());
  }

  /** Whether the journal failed when it was last tried. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether unwritten events may be sent: the journal failed, and no append of before is in progress any more. */
  get sendsUnwritten(): boolean {
    return this.#sendsUnwritten;
  }

  /** Whether an append is in progress. */
  get isWriting(): boolean {
    return this.inProgress > 0;
  }

  /** Number of appends. */
  protected get inProgress(): number {
    return this.#entries.size;
  }

  /** Whether a journal that failed is left alone now. */
  protected get isResting(): boolean {
    return this.#pause.isSet;
  }

  /** Writes other events than those in memory, also if the journal failed before. Undefined if it fails or is full. */
  async put(events: EventBytes): Promise<Range | undefined> {
    const { budget } = this.options;
    const has = budget.hasRoom(events) || (await budget.makeRoom(events).catch(() => 'low')) === 'room';
    if (!has) return undefined;
    return new Promise((resolve) => {
      const end = (range?: Range) => void resolve(range);
      this.append({ events, placed: end, handBack: end });
    });
  }

  /**
   * For the last moment of a process: writes all events before it returns, if the journal has `appendSync`. Throws if the journal
   * fails.
   */
  writeNow(): void {
    const { journal, waiting } = this.options;
    if (journal.appendSync === undefined) return;
    // What is being appended comes first: it may not be written.
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
      // What was not written waits again.
      for (const left of [entry, ...taken]) left?.handBack();
    }
  }

  /** Resolves once nothing is in progress: also what became of events that ended while they were written. */
  async stop(): Promise<void> {
    while (this.starting || this.isWriting) await this.ended();
    this.#pause.cancel();
    await this.#released;
  }

  /** It is time to try a journal that failed, or one that works again: what came meanwhile is to be written. */
  protected abstract retry(): void;

  /** An append has ended. */
  protected abstract next(): void;

  /** Gives events to the journal before it returns. The caller has asked for room. */
  protected append(entry: Entry): void {
    const { budget, journal, onChange } = this.options;
    const changes = this.#changes;
    const { events } = entry;
    this.tries += 1;
    this.#entries.add(entry);
    const end = (range: Range | undefined, error?: unknown) => {
      // Otherwise others have seen to it: nobody needs this copy.
      const isOurs = this.#entries.delete(entry);
      const unneeded = range && isOurs ? entry.placed(range) : range;
      if (unneeded) this.#release(unneeded);
      if (!range && isOurs) entry.handBack();
      if (isOurs && changes === this.#changes) {
        if (range) this.#works();
        else this.#fails(error);
      }
      budget.written(events);
      this.#updateSends();
      this.next();
      onChange();
      for (const wake of this.#waiters.splice(0)) wake();
    };
    // Handle the result with no further await: the process may be ending, and the last write must know what is written.
    called(() => journal.append(events)).then(
      (range) => end(...checked(range, events)),
      (error: unknown) => end(undefined, error),
    );
  }

  /** Makes room for events and appends them. Resolves to how many of them there is room for, if there is only room for some. */
  protected async fit(entry: Handed): Promise<number | undefined> {
    const { budget, reporter } = this.options;
    const { events, isLast } = entry;
    this.#entries.add(entry);
    const found = budget.isOver
      ? 'full'
      : await budget.makeRoom(events, isLast).catch((error: unknown) => ({ error }));
    const isOurs = this.#entries.delete(entry);
    const isGranted = found === 'room';
    if (isGranted && isOurs && !budget.isOver) {
      this.append(entry);
      return undefined;
    }
    if (isGranted) budget.written(events);
    // Otherwise the process outlived a last moment, which wrote them.
    if (!isOurs) return undefined;
    if (isGranted || budget.isOver) entry.forsake();
    else if (found === 'full') {
      // The oldest of the newest are kept, so that no event is dropped before an older one.
      const fitting = budget.fitting(events);
      if (fitting === 0) reporter.settled('journal-full', entry.drop());
      else {
        entry.handBack();
        return fitting;
      }
    } else {
      entry.handBack();
      this.tries += 1;
      this.#fails(found === 'low' ? new StorageError('too little room is left on the disk') : found.error);
    }
    return undefined;
  }

  /** Resolves once an append has ended, or what waited for room is dealt with; at once if nothing is in progress. */
  protected async ended(): Promise<void> {
    await (this.starting ?? (this.isWriting && new Promise<void>((resolve) => this.#waiters.push(resolve))));
  }

  #works(): void {
    if (!this.isFailing) return;
    this.#changes += 1;
    this.#failures = 0;
    this.#pause.cancel();
    this.#updateSends();
    this.options.onRecovered();
    this.retry();
  }

  #fails(error: unknown): void {
    const { onChange, onFailed, random } = this.options;
    this.#changes += 1;
    this.#pause.cancel();
    this.#pause.set(backoffDelayMs(this.#failures, RETRY, random));
    this.#failures += 1;
    this.#updateSends();
    onFailed(error);
    onChange();
  }

  #updateSends(): void {
    this.#sendsUnwritten = this.isFailing && (this.#sendsUnwritten || !this.isWriting);
  }

  #release(range: Range): void {
    const { journal } = this.options;
    this.#released = this.#released.then(() => journal.acknowledge(range)).catch(() => undefined);
  }
}

/** The range if it fits the events, or an error: a custom journal may be wrong. */
function checked(
  range: Range | undefined,
  { ends }: EventBytes,
): [range: Range | undefined, error?: StorageError] {
  if (range !== undefined && range?.to - range?.from === ends.length) return [range];
  return [undefined, new StorageError('the journal gave no range')];
}

/** Calls a custom journal safely: if it throws, the returned promise rejects. */
function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}
