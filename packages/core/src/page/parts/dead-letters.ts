import { promisifyRequest } from 'idb-keyval';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import { createDeadLetters } from '../../parts/dead-letters/dead-letters.ts';
import { byteLength, type LetterKey, type ParcelKey } from '../keep/parcel.ts';
import type { PageParts } from '../parts.ts';

/** How many are read, and replayed, at once. */
const PAGE = 100;

/** Makes `tracker.deadLetters`. */
export const deadLetters: NonNullable<PageParts['deadLetters']> = (stages) => {
  const { bounds, clock, keeper, letters, parcels, list, reporter, signal, wake } = stages;

  /** Rejects with a StorageError if storage fails. */
  async function stored<Result>(work: () => Promise<Result>): Promise<Result> {
    if (signal.aborted) throw new ClosedError('dead letters were asked for after close()');
    return work().catch((cause) => {
      throw storageError('cannot read dead letters in IndexedDB', cause);
    });
  }

  /** Knows what all pages stored. */
  const look = () => stored(() => keeper.commitAll().then(list));

  function read(key: LetterKey, objects?: IDBObjectStore): unknown {
    return objects ? promisifyRequest(objects.get(key)) : parcels.changes.get(String(key))?.texts;
  }

  return createDeadLetters<LetterKey>(reporter, {
    bytes: () => letters.stats.bytes,
    async count() {
      await look();
      return letters.stats.kept;
    },
    async *visit(work) {
      await look();
      const { keys } = letters;
      for (let from = 0; from < keys.length; from += PAGE) {
        const page = keys.slice(from, from + PAGE);
        const texts = await stored(() =>
          keeper.use((objects) => Promise.all(page.map((key) => read(key, objects)))),
        );
        // Other pages may have ended some.
        const left = page.flatMap((key, index) =>
          texts[index] === undefined ? [] : { key, text: `${texts[index]}` },
        );
        yield await work(left);
      }
    },
    async drop(matches) {
      letters.drop(matches.map(({ key }) => key));
      await stored(() => keeper.commitAll());
      return matches.length;
    },
    async replay(matches) {
      const sizeOf = (all: typeof matches) =>
        all.reduce((total, { event }) => total + byteLength(event) + 1, 0);
      if (bounds && !bounds.hasRoom(sizeOf(matches)))
        throw new StorageError('events stay where they are: the journal fails or is full');
      const number = parcels.number();
      // The letters become events again in one transaction.
      const [gone, key, texts] = await stored(() =>
        keeper.use(async (objects) => {
          const left =
            objects && (await Promise.all(matches.map(({ key }) => promisifyRequest(objects.getKey(key)))));
          const taken = matches.filter((_, index) => !left || left[index] !== undefined);
          const texts = taken.map(({ event }) => event);
          const key: ParcelKey = [parcels.own, number, taken.length, sizeOf(taken), clock.now(), ''];
          for (const { key } of taken) objects?.delete(key);
          if (taken.length > 0) objects?.put(texts, key);
          return [taken.map(({ key }) => key), key, texts] as const;
        }),
      );
      if (gone.length === 0) return 0;
      letters.drop(gone);
      const parcel = parcels.found(key);
      if (!keeper.survives) parcel.kept = undefined;
      parcels.loaded(parcel, texts);
      reporter.recovered('replayed', gone.length);
      wake();
      return gone.length;
    },
  });
};
