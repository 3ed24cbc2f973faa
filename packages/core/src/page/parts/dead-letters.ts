import { promisifyRequest } from 'idb-keyval';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import { type DeadLetter, readLetter } from '../../parts/dead-letters/dead-letter.ts';
import type { DeadLetters } from '../../parts/dead-letters/dead-letters.ts';
import { type DeadLetterFilter, readFilter } from '../../parts/dead-letters/letter-filter.ts';
import { byteLength, type LetterKey, type ParcelKey } from '../keep/parcel.ts';
import type { PageParts } from '../parts.ts';

/** So many are read, and replayed, at once. */
const PAGE = 100;

/** A letter that the filter accepts, and the text of its event. */
interface Match {
  readonly key: LetterKey;
  readonly letter: DeadLetter;
  readonly text: string;
}

/** Makes `tracker.deadLetters`. */
export const deadLetters: NonNullable<PageParts['deadLetters']> = (stages) => {
  const { bounds, clock, keeper, letters, parcels, refresh, reporter, signal, wake } = stages;

  /** Rejects with a StorageError if storage fails. */
  async function stored<Result>(work: () => Promise<Result>): Promise<Result> {
    if (signal.aborted) throw new ClosedError('dead letters were asked for after close()');
    return work().catch((cause) => {
      throw cause instanceof StorageError
        ? cause
        : storageError('cannot read dead letters in IndexedDB', cause);
    });
  }

  /** Knows what all pages stored. */
  const look = () => stored(() => keeper.commitAll().then(refresh));

  function read(keys: readonly LetterKey[]): Promise<readonly (string | undefined)[]> {
    return keeper.use((objects) =>
      Promise.all(
        keys.map((key) =>
          objects
            ? promisifyRequest<string | undefined>(objects.get(key))
            : (parcels.changes.get(String(key))?.texts as string | undefined),
        ),
      ),
    );
  }

  /** Reads the letters that the filter accepts, a page at a time. */
  async function* visit(filter: DeadLetterFilter | undefined): AsyncGenerator<Match[]> {
    const { accepts, isDone } = readFilter(filter);
    await look();
    const { keys } = letters;
    for (let from = 0; from < keys.length && !isDone(); from += PAGE) {
      const page = keys.slice(from, from + PAGE);
      const texts = await stored(() => read(page));
      const matches: Match[] = [];
      for (const [index, key] of page.entries()) {
        const text = texts[index];
        const read = text === undefined ? undefined : readLetter(new TextEncoder().encode(`${text}`));
        if (read && accepts(read.letter))
          matches.push({ key, letter: read.letter, text: new TextDecoder().decode(read.event) });
        else if (text !== undefined && !read)
          reporter.emit('damaged', { place: 'dead letters', bytes: text.length });
      }
      yield matches;
    }
  }

  async function purge(filter?: DeadLetterFilter): Promise<number> {
    let count = 0;
    for await (const matches of visit(filter)) {
      letters.drop(matches.map(({ key }) => key));
      count += matches.length;
      await stored(() => keeper.commitAll());
    }
    return count;
  }

  /** The letters become events again, in one transaction. Returns how many. */
  async function resend(matches: readonly Match[]): Promise<number> {
    if (bounds && !bounds.hasRoom(matches.reduce((total, { text }) => total + byteLength(text), 0)))
      throw new StorageError('events stay where they are: the journal fails or is full');
    const number = parcels.number();
    const [taken, key, texts] = await keeper.use(async (objects) => {
      const left =
        objects && (await Promise.all(matches.map(({ key }) => promisifyRequest(objects.getKey(key)))));
      const taken = matches.filter((_, index) => !left || left[index] !== undefined);
      const texts = taken.map(({ text }) => text);
      const bytes = texts.reduce((total, text) => total + byteLength(text) + 1, 0);
      const key: ParcelKey = [parcels.own, number, taken.length, bytes, clock.now(), ''];
      for (const { key } of taken) objects?.delete(key);
      if (taken.length > 0) objects?.put(texts, key);
      return [taken, key, texts] as const;
    });
    if (taken.length === 0) return 0;
    letters.drop(taken.map(({ key }) => key));
    const parcel = parcels.found(key);
    if (!keeper.survives) parcel.kept = undefined;
    parcels.loaded(parcel, texts);
    reporter.recovered('replayed', taken.length);
    wake();
    return taken.length;
  }

  const tools: Pick<DeadLetters, keyof DeadLetters> = {
    get bytes() {
      return letters.stats.bytes;
    },
    async count() {
      await look();
      return letters.stats.kept;
    },
    async *list(filter) {
      for await (const matches of visit(filter)) for (const { letter } of matches) yield letter;
    },
    async replay(filter) {
      let count = 0;
      for await (const matches of visit(filter)) count += await stored(() => resend(matches));
      return count;
    },
    purge,
  };
  return tools as DeadLetters;
};
