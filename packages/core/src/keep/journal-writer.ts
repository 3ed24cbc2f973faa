import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Journal } from './journal.ts';

/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };

/** Events that are given to the journal in one append. */
export interface Entry {
  readonly events: EventBytes;
  /** The journal has them. Returns the range if nobody needs it any more, because the events ended meanwhile. */
  placed(range: Range): Range | undefined;
  /** The append failed: they are unwritten again. */
  handBack(): void;
}

/** Keeps the journal within its size limits. Asked before each write. */
export interface Room {
  /** Whether there is room for a group. If so, reserves the room until `written` is called. */
  hasRoom(group: EventBytes): boolean;
  /**
   * Makes room for a group and reserves it until `written` is called.
   * - `room`: the group may be written.
   * - `full`: there is no room. The group must be dropped.
   * - `low`: the disk has too little space left for other programs, and the journal has nothing on it to give up.
   *
   * @param isLast Whether events like these are given up last. Older ones of the same kind are then given up once there are
   *   no others.
   */
  makeRoom(group: EventBytes, isLast?: boolean): Promise<'room' | 'full' | 'low'>;
  /** Makes room for events and appends them. Resolves to how many of them there is room for, if there is only room for some. */
  fit(entry: Entry, writer: Writer): Promise<number | undefined>;
  /** The group was written, or the write failed: ends the reservation. */
  written(group: EventBytes): void;
}

/** Who asks for room. */
export interface Writer extends Pick<JournalWriter<JournalWriterOptions>, 'append' | 'entries' | 'fail'> {
  readonly options: Pick<JournalWriterOptions, 'journal' | 'reporter'>;
}

export interface JournalWriterOptions {
  readonly journal: Journal;
  /** Undefined if storage alone is the limit. */
  readonly room: Room | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reporter: Pick<Reporter, 'settled'>;
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
export abstract class JournalWriter<Options extends JournalWriterOptions> {
  readonly options: Options;
  /** Appends ever started. */
  protected tries = 0;
  /**
   * What is being appended, or waits for room in the journal, in the order in which that started. Others see to an entry that they
   * take out: its append may not be done.
   */
  readonly entries: Set<Entry> = new Set();
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

  constructor(options: Options) {
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
    return this.entries.size;
  }

  /** Whether a journal that failed is left alone now. */
  protected get isResting(): boolean {
    return this.#pause.isSet;
  }

  /** Writes other events than those in memory, also if the journal failed before. Undefined if it fails or is full. */
  async put(events: EventBytes): Promise<Range | undefined> {
    const { room } = this.options;
    const has = this.hasRoom(events) || (await room?.makeRoom(events).catch(() => 'low')) === 'room';
    if (!has) return undefined;
    return new Promise((resolve) => {
      const end = (range?: Range) => void resolve(range);
      this.append({ events, placed: end, handBack: end });
    });
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
  append(entry: Entry): void {
    const { journal, onChange, room } = this.options;
    const changes = this.#changes;
    const { events } = entry;
    this.tries += 1;
    this.entries.add(entry);
    const end = (range: Range | undefined, error?: unknown) => {
      // Otherwise others have seen to it: nobody needs this copy.
      const isOurs = this.entries.delete(entry);
      const unneeded = range && isOurs ? entry.placed(range) : range;
      if (unneeded) this.#release(unneeded);
      if (!range && isOurs) entry.handBack();
      if (isOurs && changes === this.#changes) {
        if (range) this.#works();
        else this.#fails(error);
      }
      room?.written(events);
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

  /** It was tried, and failed before an append. */
  fail(error: unknown): void {
    this.tries += 1;
    this.#fails(error);
  }

  protected hasRoom(events: EventBytes): boolean {
    return this.options.room?.hasRoom(events) ?? true;
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
export function checked(
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
