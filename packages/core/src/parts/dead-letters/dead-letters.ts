import { ConfigError, describe } from '@sluice/protocol';
import { ClosedError } from '../../base/errors/closed-error.ts';
import type { EventBytes } from '../../base/event-bytes.ts';
import { joinEvents } from '../../base/event-bytes.ts';
import type { LetterStore } from '../../send/letter-store.ts';
import { type ReplayOptions, replay } from '../../wait/replay.ts';
import { type DeadLetter, readLetter } from './dead-letter.ts';
import { DeadLetterStore, type DeadLetterStoreOptions, type StoredLetter } from './dead-letter-store.ts';

/** Which dead letters: an array of ids, or a function that returns true for them. Left out: all. */
export type DeadLetterFilter = readonly string[] | ((letter: DeadLetter) => boolean);

/** What a tracker provides for its dead letters. */
export interface DeadLettersPartOptions extends DeadLetterStoreOptions, ReplayOptions {
  readonly isClosed: () => boolean;
}

/** Creates the dead letters of a tracker: the store that keeps them, and the methods of `tracker.deadLetters`. */
export type DeadLettersPart = (options: DeadLettersPartOptions) => {
  readonly store: LetterStore;
  readonly tools: DeadLetters;
};

/** For pages: `createTracker({ parts: { deadLetters } })` makes `tracker.deadLetters`. In Node a tracker has it already. */
export const deadLetters: DeadLettersPart = (options) => {
  const { clock, isClosed, reporter } = options;
  const store = new DeadLetterStore(options);
  const tools = new DeadLetters({
    ...{ store, isClosed, reporter, now: () => clock.now() },
    replay: (events) => replay(events, options),
  });
  return { store, tools };
};

interface DeadLettersOptions {
  readonly store: DeadLetterStore;
  readonly now: () => number;
  readonly isClosed: () => boolean;
  /** Rejects if the events could not be put into the journal again. */
  readonly replay: (events: EventBytes) => Promise<void>;
  readonly reporter: DeadLetterStoreOptions['reporter'];
}

/** A letter that the filter accepts. */
interface Match extends StoredLetter {
  readonly letter: DeadLetter;
  readonly event: Uint8Array;
}

/**
 * The events that the service refused for good: those of this tracker, and those that previous trackers left in the same place.
 * All methods may be called at any time. They reject with a ClosedError after the tracker is closed, with a StorageError if
 * storage fails, and with a ConfigError if a filter is invalid. If a filter throws, the method rejects with that error.
 */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  /** @internal */
  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Bytes that dead letters take in storage, as far as storage was read: with the first letter, or the first call here. */
  get bytes(): number {
    return this.#options.store.bytes;
  }

  /** How many dead letters there are. */
  async count(): Promise<number> {
    const { store } = this.#options;
    this.#check();
    await store.look();
    return store.count;
  }

  /** Dead letters, oldest first. They are read as you ask for them, and are never all in memory. */
  async *list(filter?: DeadLetterFilter): AsyncGenerator<DeadLetter, void, undefined> {
    for await (const matches of this.#visit(filter, (matches) => matches)) {
      for (const { letter } of matches) yield letter;
    }
  }

  /**
   * Sends dead letters again, byte for byte, behind the events that wait. The journal holds the events before the letters are
   * deleted. If it rejects, letters that are not replayed stay. Returns how many were replayed.
   */
  async replay(filter?: DeadLetterFilter): Promise<number> {
    const { store, now, replay, reporter } = this.#options;
    let count = 0;
    const visits = this.#visit(filter, async (matches) => {
      if (matches.length === 0) return;
      const events = matches.map(({ event }) => event);
      await replay(joinEvents(events, now()));
      count += events.length;
      // The events are in the journal. If a letter cannot be deleted, a later process finds it again.
      await store.drop(matches).catch(reporter.storageFailed);
    });
    for await (const _ of visits);
    await store.reclaim();
    return count;
  }

  /** Deletes dead letters for good. Returns how many. */
  async purge(filter?: DeadLetterFilter): Promise<number> {
    const { store } = this.#options;
    let count = 0;
    if (filter === undefined) {
      this.#check();
      count = await store.clear();
    } else {
      const visits = this.#visit(filter, async (matches) => {
        await store.drop(matches);
        count += matches.length;
      });
      for await (const _ of visits);
    }
    await store.reclaim();
    return count;
  }

  async *#visit<Result>(
    filter: DeadLetterFilter | undefined,
    work: (matches: readonly Match[]) => Result | Promise<Result>,
  ): AsyncGenerator<Result> {
    const { reporter, store } = this.#options;
    const { accepts, isDone } = readFilter(filter);
    this.#check();
    const visits = store.visit((letters) => {
      this.#check();
      const matches: Match[] = [];
      for (const stored of letters) {
        const found = readLetter(stored.text);
        if (found === undefined)
          reporter.emit('damaged', { place: 'dead letters', bytes: stored.text.length });
        else if (accepts(found.letter)) matches.push({ ...stored, ...found });
      }
      return work(matches);
    });
    for await (const result of visits) {
      yield result;
      if (isDone()) return;
    }
  }

  #check(): void {
    if (this.#options.isClosed()) throw new ClosedError('dead letters were asked for after close()');
  }
}

interface Choice {
  readonly accepts: (letter: DeadLetter) => boolean;
  /** Whether all letters that were asked for are found. */
  readonly isDone: () => boolean;
}

function readFilter(filter: unknown): Choice {
  const isDone = () => false;
  if (filter === undefined) return { accepts: () => true, isDone };
  if (typeof filter === 'function') {
    const accepts = (letter: DeadLetter) => {
      const answer: unknown = filter(letter);
      // A promise would count as true.
      if (typeof answer === 'boolean') return answer;
      throw new ConfigError('filter', `filter must return true or false, got ${describe(answer)}`);
    };
    return { accepts, isDone };
  }
  if (!Array.isArray(filter) || filter.some((id) => typeof id !== 'string')) {
    const allowed = 'an array of the ids of dead letters, or a function';
    throw new ConfigError('filter', `filter must be ${allowed}, got ${describe(filter)}`);
  }
  const ids = new Set(filter);
  return { accepts: ({ id }) => ids.delete(id), isDone: () => ids.size === 0 };
}
