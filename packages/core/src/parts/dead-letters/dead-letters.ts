import { ConfigError, describe } from '@sluice/protocol';
import { ClosedError } from '../../base/errors/closed-error.ts';
import type { EventBytes } from '../../base/event-bytes.ts';
import { joinEvents } from '../../base/event-bytes.ts';
import type { LetterStore } from '../../send/letter-store.ts';
import { type ReplayOptions, replay } from '../../wait/replay.ts';
import { type DeadLetter, readLetter } from './dead-letter.ts';
import { DeadLetterStore, type DeadLetterStoreOptions, type StoredLetter } from './dead-letter-store.ts';

/** Which dead letters: by their ids, or those of which a function returns true. Left out: all. */
export type DeadLetterFilter = readonly string[] | ((letter: DeadLetter) => boolean);

/** What a tracker lends to its dead letters. */
export interface DeadLettersPartOptions extends DeadLetterStoreOptions, ReplayOptions {
  readonly isClosed: () => boolean;
}

/** Makes the dead letters of a tracker: what keeps them, and what is done with them. */
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
  /** Rejects where events did not take the road again. */
  readonly replay: (events: EventBytes) => Promise<void>;
  readonly reporter: DeadLetterStoreOptions['reporter'];
}

/** A letter that was asked for. */
interface Match extends StoredLetter {
  readonly letter: DeadLetter;
  readonly event: Uint8Array;
}

/**
 * The events that the service refused for good: those of this tracker, and those that earlier ones left in the same place.
 * All methods may be called at any time. They reject with a ClosedError once the tracker is closed, with a StorageError
 * where storage fails, and with a ConfigError where a filter is none; what a filter throws is thrown.
 */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  /** @internal */
  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Bytes that dead letters take in storage, as far as it was looked at: with the first letter, or the first call here. */
  get bytes(): number {
    return this.#options.store.bytes;
  }

  /** How many there are. */
  async count(): Promise<number> {
    const { store } = this.#options;
    this.#check();
    await store.look();
    return store.count;
  }

  /** Dead letters, oldest first. They are read as they are asked for, and never all in memory. */
  async *list(filter?: DeadLetterFilter): AsyncGenerator<DeadLetter, void, undefined> {
    for await (const matches of this.#visit(filter, (matches) => matches)) {
      for (const { letter } of matches) yield letter;
    }
  }

  /**
   * Sends dead letters again, byte for byte, behind what waits. Their events are in the journal before the letters go.
   * Where it rejects, what is not replayed stays. Returns how many are replayed.
   */
  async replay(filter?: DeadLetterFilter): Promise<number> {
    const { store, now, replay, reporter } = this.#options;
    let count = 0;
    const visits = this.#visit(filter, async (matches) => {
      if (matches.length === 0) return;
      const events = matches.map(({ event }) => event);
      await replay(joinEvents(events, now()));
      count += events.length;
      // They are on their road: a letter that cannot be given up comes again in another life.
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
  /** Whether all that is asked for is found. */
  readonly isDone: () => boolean;
}

function readFilter(filter: unknown): Choice {
  const isDone = () => false;
  if (filter === undefined) return { accepts: () => true, isDone };
  if (typeof filter === 'function') {
    const accepts = (letter: DeadLetter) => {
      const answer: unknown = filter(letter);
      // A promise would be taken for a yes.
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
