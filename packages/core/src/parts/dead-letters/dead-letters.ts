import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { Reporter } from '../../tell/reporter.ts';
import { type DeadLetter, type DeadLetterFilter, readLetter } from './dead-letter.ts';

/**
 * The events that the service refused for good: those of this tracker, and those that previous trackers left in the same place.
 * All methods may be called at any time.
 *
 * @throws All methods reject with a ClosedError after the tracker is closed, with a StorageError if storage fails, with a ConfigError
 * if a filter is invalid, and with the error of a filter that throws.
 */
export interface DeadLetters {
  /** Bytes that dead letters take in storage, as far as storage was read: with the first letter, or the first call here. */
  readonly bytes: number;
  /**
   * How many dead letters there are.
   * @example if ((await tracker.deadLetters.count()) > 0) alertSomebody();
   */
  count(): Promise<number>;
  /**
   * Dead letters, oldest first. They are read as you ask for them, and are never all in memory.
   * @param filter Default: all of them.
   * @example for await (const { event, status } of tracker.deadLetters.list()) console.log(status, event);
   */
  list(filter?: DeadLetterFilter): AsyncGenerator<DeadLetter, void, undefined>;
  /**
   * Sends dead letters again, byte for byte, before or after the events that wait. The journal holds the events before the letters
   * are deleted. If it rejects, letters that are not replayed stay.
   * @param filter Default: all of them.
   * @returns How many were replayed.
   * @example await tracker.deadLetters.replay(({ status }) => status === 413);
   */
  replay(filter?: DeadLetterFilter): Promise<number>;
  /**
   * Deletes dead letters for good.
   * @param filter Default: all of them.
   * @returns How many were deleted.
   * @example await tracker.deadLetters.purge(['0e8d9a6c-6f9f-4a59-a6f3-3f8e2f3f7a10']);
   */
  purge(filter?: DeadLetterFilter): Promise<number>;
}

/** A letter that the filter accepts: where it is stored, and the text of its event as it was sent. */
interface Match<Key> {
  readonly key: Key;
  readonly letter: DeadLetter;
  readonly event: string;
}

/** Where dead letters are stored. All methods reject if storage fails, or the tracker is closed. */
interface Letters<Key> {
  /** The bytes that are known to be stored. */
  bytes(): number;
  count(): Promise<number>;
  /**
   * Reads all letters that are stored now, oldest first, and yields what `work` makes of those that were read together. No other
   * task of this tracker changes the letters meanwhile.
   */
  visit<Result>(
    work: (letters: readonly { readonly key: Key; readonly text: string }[]) => Promise<Result>,
  ): AsyncGenerator<Result, void, undefined>;
  /** Deletes letters that were read together. Resolves to how many. */
  drop(matches: readonly Match<Key>[]): Promise<number>;
  /** Makes events of letters that were read together. Resolves to how many. */
  replay(matches: readonly Match<Key>[]): Promise<number>;
  /** Deletes all letters without reading them. Resolves to how many there were. */
  clear?(): Promise<number>;
}

export function createDeadLetters<Key>(reporter: Pick<Reporter, 'emit'>, letters: Letters<Key>): DeadLetters {
  /** As `letters.visit()`, with the letters that the filter accepts. */
  async function* visit<Result>(
    filter: DeadLetterFilter | undefined,
    work: (matches: readonly Match<Key>[]) => Promise<Result>,
  ): AsyncGenerator<Result, void, undefined> {
    const { accepts, isDone } = readFilter(filter);
    const results = letters.visit((stored) =>
      work(
        stored.flatMap(({ key, text }) => {
          const read = readLetter(text);
          if (!read) reporter.emit('damaged', { place: 'dead letters', bytes: text.length });
          return read && accepts(read.letter) ? { key, ...read } : [];
        }),
      ),
    );
    for await (const result of results) {
      yield result;
      if (isDone()) break;
    }
  }

  async function sum(counts: AsyncIterable<number>): Promise<number> {
    let total = 0;
    for await (const count of counts) total += count;
    return total;
  }

  return {
    get bytes() {
      return letters.bytes();
    },
    count: letters.count,
    async *list(filter) {
      for await (const matches of visit(filter, async (matches) => matches))
        for (const { letter } of matches) yield letter;
    },
    replay: (filter) => sum(visit(filter, letters.replay)),
    purge: (filter) =>
      filter === undefined && letters.clear ? letters.clear() : sum(visit(filter, letters.drop)),
  };
}

/** Which letters a filter accepts, and whether all that it asks for are found. Throws a ConfigError if it is not a filter. */
function readFilter(filter: unknown) {
  const ids = Array.isArray(filter) ? new Set<unknown>(filter) : undefined;
  const isFilter = ids
    ? [...ids].every((id) => typeof id === 'string')
    : filter === undefined || typeof filter === 'function';
  // Without the value: it may be the key.
  if (!isFilter)
    throw new ConfigError('filter', 'filter must be an array of the ids of dead letters, or a function');
  return {
    isDone: () => ids?.size === 0,
    accepts(letter: DeadLetter): boolean {
      if (typeof filter !== 'function') return ids?.delete(letter.id) ?? true;
      const answer: unknown = filter(letter);
      // A promise would count as true.
      if (typeof answer === 'boolean') return answer;
      throw new ConfigError('filter', `filter must return true or false, got ${describe(answer)}`);
    },
  };
}
