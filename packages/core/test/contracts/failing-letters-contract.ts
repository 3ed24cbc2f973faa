import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileJournal } from '../../src/keep/file/file-journal.ts';
import { LetterArchive } from '../../src/parts/dead-letters/letter-archive.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import { createBatch } from '../bench/batch.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { FailingFileSystem, type Operation } from '../bench/failing-file-system.ts';
import { readAll, Witness } from './journal-contract.ts';

/**
 * Dead letters lose nothing, whichever operation of the disk fails.
 *
 * @param next The place to try after this one: how many calls of an operation pass before one fails.
 */
export function describeFailingDisk(next: (after: number) => number): void {
  describe('dead letters on a disk that fails', () => {
    let scratch = '';
    beforeAll(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
    });
    afterAll(() => rm(scratch, { recursive: true, force: true }));

    const operations = [
      ...['makeDirectory', 'create', 'write', 'sync', 'syncDirectory', 'openToRead', 'read', 'stat'],
      ...['openToAppend', 'list', 'rename', 'remove'],
    ] as Operation[];
    const texts = Array.from({ length: 12 }, (_, n) => JSON.stringify({ n, pad: 'p'.repeat(3_000) }));
    let places = 0;

    /** Keeps all letters, replays the first half, and deletes the last one. Tries again what failed. */
    async function live(directory: string, fs: FailingFileSystem) {
      const clock = systemClock;
      const reporter = new Reporter(new Books(), clock);
      const maxBytes = 64 * 1024;
      const journal = new FileJournal({ directory, fsync: 'interval', clock, maxBytes, fs });
      const store = new LetterArchive({
        ...{ journal, clock, maxBytes, maxAgeMs: 60_000, reporter },
      });
      const replayed: string[] = [];
      const letters = store.deadLetters(
        { groupLimit: { maxEvents: 4, maxBytes: 16 * 1024 } },
        { replay: async (events) => void replayed.push(...toTexts(events)) },
        () => {},
      );
      const insist = async <Result>(work: () => Promise<Result>) => {
        for (let tries = 1; ; tries += 1) {
          try {
            return await work();
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
            if (tries > 5) throw error;
          }
        }
      };
      for (const text of texts) {
        const batch = createBatch(toEventBytes([text]), { segment: 1, from: 0, to: 1 });
        await insist(() => store.keep(batch, { status: 400, excerpt: '' }));
      }
      await insist(() => letters.replay(({ event }) => Number(event.n) < 6));
      await insist(() => letters.purge(({ event }) => event.n === 11));
      await store.close();
      return replayed;
    }

    /** What the next process finds. */
    async function find(directory: string): Promise<unknown[]> {
      const clock = systemClock;
      const journal = new FileJournal({ directory, fsync: 'interval', clock });
      const witness = new Witness();
      await journal.open(witness);
      const found = (await readAll(journal, witness.ranges)).map((text) => JSON.parse(text).event.n);
      await journal.close();
      expect(witness.damages).toEqual([]);
      return found;
    }

    it.each(operations)(
      'lose none, and have none that was given up but by a note that failed: %s',
      async (operation) => {
        for (let after = 0; after < 200; after = next(after)) {
          places += 1;
          const directory = join(scratch, `failing-${places}`);
          const fs = new FailingFileSystem();
          fs.fail(operation, 'EIO', { after });
          const replayed = await live(directory, fs);
          expect(new Set(replayed)).toEqual(new Set(texts.slice(0, 6)));
          const found = await find(directory);
          expect(found).toEqual(expect.arrayContaining([6, 7, 8, 9, 10]));
          if (fs.count(operation) <= after) {
            expect(found).toEqual([6, 7, 8, 9, 10]);
            break;
          }
        }
      },
    );
  });
}
