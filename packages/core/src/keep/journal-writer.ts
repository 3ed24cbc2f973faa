import type { Clock } from '@sluice/protocol/toolbox';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Health } from './health.ts';
import type { Journal } from './journal.ts';
import type { Room } from './room.ts';

/** Events that are given to the journal in one append. */
export interface Entry {
  readonly events: EventBytes;
  /** Whether they are given up last if the journal is full. */
  readonly isLast: boolean;
  /** The journal has them. Returns the range if nobody needs it any more, because the events ended meanwhile. */
  placed(range: Range): Range | undefined;
  /** The append failed: they are unwritten again. */
  handBack(): void;
  /** The journal is full: they end. Returns how many had not ended before. */
  drop(): number;
}

interface JournalWriterOptions {
  readonly journal: Journal;
  readonly room: Room;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reporter: Pick<Reporter, 'settled'>;
  /** An append has ended. */
  readonly onEnd: () => void;
  /** The journal failed. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
  /** It is time to try a journal that failed. */
  readonly onRetry: () => void;
}

/** Makes the appends, several at once, and knows from them whether the journal works. */
export class JournalWriter {
  /** Appends ever started. */
  tries = 0;
  readonly #options: JournalWriterOptions;
  readonly #health: Health;
  /** What is being appended, or waits for room in the journal, in the order in which that started. */
  readonly #entries = new Set<Entry>();
  #next: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  #sendsUnwritten = false;
  /** Resolves once ranges that nobody needs are released. */
  #released: Promise<void> = Promise.resolve();

  constructor(options: JournalWriterOptions) {
    const { clock, onFailed, onRecovered, onRetry, random } = options;
    this.#options = options;
    this.#health = new Health({
      clock,
      random,
      onRetry,
      onFailed: (error) => {
        this.#sendsUnwritten ||= this.inProgress === 0;
        onFailed(error);
      },
      onRecovered: () => {
        this.#sendsUnwritten = false;
        onRecovered();
      },
    });
  }

  /** Number of appends. */
  get inProgress(): number {
    return this.#entries.size;
  }

  /** Whether the journal failed when it was last tried. */
  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  /** Whether a journal that failed is left alone now. */
  get isResting(): boolean {
    return this.#health.isResting;
  }

  /** Whether unwritten events may be sent: the journal failed, and no append of before is in progress any more. */
  get sendsUnwritten(): boolean {
    return this.#sendsUnwritten;
  }

  /** Gives events to the journal before it returns. The caller has asked for room. @param holdMs As of `Journal.append`. */
  append(entry: Entry, holdMs?: number): void {
    const { journal, onEnd, room } = this.#options;
    const { changes } = this.#health;
    const { events } = entry;
    this.tries += 1;
    this.#entries.add(entry);
    const end = (range: Range | undefined, error?: unknown) => {
      // Otherwise others have seen to it, after `writeSync()`: nobody needs this copy.
      const isOurs = this.#entries.delete(entry);
      const unneeded = range && isOurs ? entry.placed(range) : range;
      if (unneeded) this.#release(unneeded);
      if (range && isOurs) this.#health.works(changes);
      if (!range && isOurs) {
        entry.handBack();
        this.#health.fails(error, changes);
      }
      room.written(events);
      this.#sendsUnwritten = this.isFailing && (this.#sendsUnwritten || this.inProgress === 0);
      onEnd();
      const next = this.#next;
      this.#next = undefined;
      next?.end();
    };
    // Handle the result with no further await: the process may be ending, and the last write must know what is written.
    called(() => journal.append(events, holdMs)).then(
      (range) => end(...checked(range, events)),
      (error: unknown) => end(undefined, error),
    );
  }

  /**
   * Makes room for events in the journal and appends them. Returns how many events to try next; undefined if none.
   *
   * @param entry There is no room for it now.
   */
  async makeRoom(entry: Entry): Promise<number | undefined> {
    const { journal, room, reporter } = this.#options;
    const { events } = entry;
    const { maxEvents } = journal.groupLimit;
    this.#entries.add(entry);
    const found = await room.makeRoom(events, entry.isLast).catch((error: unknown) => ({ error }));
    if (!this.#entries.delete(entry)) {
      // The process outlived a last moment, which wrote them.
      if (found === 'room') room.written(events);
      return maxEvents;
    }
    if (found === 'room') {
      this.append(entry);
      return maxEvents;
    }
    if (found === 'full') {
      // The oldest of the newest are kept, so that no event is dropped before an older one.
      const fitting = room.fitting(events);
      if (fitting > 0) entry.handBack();
      else reporter.settled('journal-full', entry.drop());
      return fitting || maxEvents;
    }
    entry.handBack();
    this.tries += 1;
    const low = new StorageError('the disk has too little room left for the journal');
    this.#health.fails(found === 'low' ? low : found.error);
    return undefined;
  }

  /** Writes events that are not in the tracker's memory, also if the journal failed before. Undefined if it fails or is full. */
  async put(events: EventBytes): Promise<Range | undefined> {
    const { journal, room } = this.#options;
    const has = room.hasRoom(events) || (await room.makeRoom(events).catch(() => 'low')) === 'room';
    if (!has) return undefined;
    const { changes } = this.#health;
    const [range, error] = await called(() => journal.append(events)).then(
      (range) => checked(range, events),
      (error: unknown) => [undefined, error] as const,
    );
    room.written(events);
    if (range) this.#health.works(changes);
    else this.#health.fails(error, changes);
    return range;
  }

  /**
   * Writes events before it returns, those of appends in progress included: they may not be written. For the last moment of a
   * process. Throws if the journal fails.
   *
   * @param next The next events that are not given to the journal.
   */
  writeSync(next: () => Entry | undefined): void {
    const { journal } = this.#options;
    if (journal.appendSync === undefined) return;
    const entries = [...this.#entries];
    this.#entries.clear();
    for (let entry = entries[0] ?? next(); entry; entry = entries[0] ?? next()) {
      if (entries.length === 0) entries.push(entry);
      try {
        const [range, error] = checked(journal.appendSync(entry.events), entry.events);
        if (range === undefined) throw error;
        entry.placed(range);
        entries.shift();
      } catch (error) {
        for (const one of entries) one.handBack();
        throw error;
      }
    }
  }

  /** Resolves once an append has ended; at once if none is in progress. */
  async ended(): Promise<void> {
    if (this.inProgress === 0) return;
    if (this.#next === undefined) {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#next = { ended, end };
    }
    await this.#next.ended;
  }

  /** A journal that failed is not tried again. */
  stop(): void {
    this.#health.stop();
  }

  /** Resolves once what nobody needs is released. */
  released(): Promise<void> {
    return this.#released;
  }

  #release(range: Range): void {
    const { journal } = this.#options;
    this.#released = this.#released.then(() => journal.acknowledge(range)).catch(() => undefined);
  }
}

/** The range if it fits the events, or an error: a custom journal may be wrong. */
function checked(
  range: Range | undefined,
  { ends }: EventBytes,
): [range: Range | undefined, error?: StorageError] {
  if (range !== undefined && range?.to - range?.from === ends.length) return [range];
  return [undefined, new StorageError(`the journal gave no range for ${ends.length} events`)];
}

/** Calls a custom journal safely: if it throws, the returned promise rejects. */
function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}
