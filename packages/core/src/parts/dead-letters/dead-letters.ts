import type { Clock } from '@sluice/protocol/toolbox';
import { type EventBytes, joinEvents, type Limit } from '../../base/event-bytes.ts';
import type { Journal } from '../../keep/journal.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Waiting } from '../../wait/waiting.ts';
import type { ShelfOptions } from '../shelf.ts';
import { type DeadLetter, readLetter } from './dead-letter.ts';
import { LetterArchive } from './letter-archive.ts';
import { type DeadLetterFilter, readFilter } from './letter-filter.ts';
import { LetterReader, type StoredLetter } from './letter-reader.ts';

/** What a tracker provides for the methods of its dead letters. */
interface DeadLettersTools {
  /** Whether the journal of dead letters may hold something. */
  readonly mayHold: () => Promise<boolean>;
  /** The main journal, and what waits to be sent. */
  readonly journal: Pick<Journal, 'groupLimit'>;
  readonly waiting: Pick<Waiting, 'replay'>;
  /** There is something to send. */
  readonly wake: () => void;
}

/** Creates the dead letters of a tracker: what keeps them, and the methods of `tracker.deadLetters`. */
export type DeadLettersPart = (
  options: ShelfOptions,
  tools: DeadLettersTools,
) => { readonly archive: LetterArchive; readonly deadLetters: DeadLetters };

/**
 * For pages: makes `tracker.deadLetters`. In Node a tracker has it already.
 * @example createTracker({ ...options, parts: { deadLetters } });
 */
export const deadLetters: DeadLettersPart = (options, { journal, mayHold, waiting, wake }) => {
  const { clock, reporter } = options;
  const archive = new LetterArchive(options, mayHold);
  const replay = (events: EventBytes) =>
    waiting.replay(events, () => {
      reporter.recovered('replayed', events.ends.length);
      wake();
    });
  // Dead letters that are read together are replayed together: read as many as fit one append.
  const page = journal.groupLimit;
  return { archive, deadLetters: new DeadLetters({ letters: archive, clock, page, replay, reporter }) };
};

interface DeadLettersOptions {
  /** How much is read, and replayed, at once. */
  readonly page: Limit;
  /** Rejects if the events could not be put into the journal again. */
  readonly replay: (events: EventBytes) => Promise<void>;
  readonly letters: LetterArchive;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'emit' | 'storageFailed'>;
}

/** A letter that the filter accepts. */
interface Match extends StoredLetter {
  readonly letter: DeadLetter;
  readonly event: Uint8Array;
}

/**
 * The events that the service refused for good: those of this tracker, and those that previous trackers left in the same place.
 * All methods may be called at any time.
 *
 * @throws All methods reject with a ClosedError after the tracker is closed, with a StorageError if storage fails, with a ConfigError
 * if a filter is invalid, and with the error of a filter that throws.
 */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  /** @internal */
  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Bytes that dead letters take in storage, as far as storage was read: with the first letter, or the first call here. */
  get bytes(): number {
    return this.#options.letters.journal.bytes;
  }

  /**
   * How many dead letters there are.
   * @example if ((await tracker.deadLetters.count()) > 0) alertSomebody();
   */
  async count(): Promise<number> {
    const { letters } = this.#options;
    return letters.use(async () => letters.kept.count);
  }

  /**
   * Dead letters, oldest first. They are read as you ask for them, and are never all in memory.
   * @param filter Default: all of them.
   * @example for await (const { event, status } of tracker.deadLetters.list()) console.log(status, event);
   */
  async *list(filter?: DeadLetterFilter): AsyncGenerator<DeadLetter, void, undefined> {
    for await (const matches of this.#visit(filter, async (matches) => matches)) {
      for (const { letter } of matches) yield letter;
    }
  }

  /**
   * Sends dead letters again, byte for byte, behind the events that wait. The journal holds the events before the letters are
   * deleted. If it rejects, letters that are not replayed stay.
   * @param filter Default: all of them.
   * @returns How many were replayed.
   * @example await tracker.deadLetters.replay(({ status }) => status === 413);
   */
  async replay(filter?: DeadLetterFilter): Promise<number> {
    const { clock, replay, reporter } = this.#options;
    return this.#sum(filter, async (matches, reader) => {
      if (matches.length === 0) return;
      const events = matches.map(({ event }) => event);
      await replay(joinEvents(events, clock.now()));
      // The events are in the journal. If a letter cannot be deleted, a later process finds it again.
      await reader.drop(matches).catch(reporter.storageFailed);
    });
  }

  /**
   * Deletes dead letters for good.
   * @param filter Default: all of them.
   * @returns How many were deleted.
   * @example await tracker.deadLetters.purge(['0e8d9a6c-6f9f-4a59-a6f3-3f8e2f3f7a10']);
   */
  async purge(filter?: DeadLetterFilter): Promise<number> {
    if (filter === undefined) return this.#options.letters.clear('delivered');
    return this.#sum(filter, (matches, reader) => reader.drop(matches));
  }

  /** Ends letters, a page at a time. Returns how many. */
  async #sum(
    filter: DeadLetterFilter | undefined,
    end: (matches: readonly Match[], reader: LetterReader) => Promise<void>,
  ): Promise<number> {
    let count = 0;
    const counts = this.#visit(filter, async (matches, reader) => {
      await end(matches, reader);
      return matches.length;
    });
    for await (const ended of counts) count += ended;
    return count;
  }

  /** Reads the letters that the filter accepts, a page at a time, and yields what `work` makes of each page. */
  async *#visit<Result>(
    filter: DeadLetterFilter | undefined,
    work: (matches: readonly Match[], reader: LetterReader) => Promise<Result>,
  ): AsyncGenerator<Result> {
    const { letters, page, reporter } = this.#options;
    const { accepts, isDone } = readFilter(filter);
    const reader = await letters.use(async () => new LetterReader(letters, page));
    while (!isDone()) {
      const found = await letters.use(async () => {
        const stored = await reader.next();
        const matches: Match[] = [];
        for (const one of stored) {
          const read = readLetter(one.text);
          if (read === undefined) reporter.emit('damaged', { place: 'dead letters', bytes: one.text.length });
          else if (accepts(read.letter)) matches.push({ ...one, ...read });
        }
        return stored.length > 0 && { result: await work(matches, reader) };
      });
      if (!found) return;
      yield found.result;
    }
  }
}
