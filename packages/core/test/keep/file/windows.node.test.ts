// Windows by simulation: these run on a disk with rules as those of Windows, and with locks that leave no file.
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileJournal, type FileJournalOptions } from '../../../src/keep/file/file-journal.ts';
import { pipeLocks } from '../../../src/keep/file/slots/system-locks.ts';
import { WindowsFileSystem } from '../../bench/windows-file-system.ts';
import { describeJournal, group, readAll } from '../../contracts/journal-contract.ts';
import { numbered } from './frames.ts';
import { type Life, MortalLocks, Place } from './place.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));
/** On Windows, the prefix of a named pipe. Here these are sockets outside of the journal's directory. */
const locks = pipeLocks(join(scratch, 'pipe-'));

describeJournal('FileJournal with the rules of Windows', {
  create: (place) => {
    const directory = join(scratch, place);
    const fs = new WindowsFileSystem();
    return new FileJournal({ directory, fsync: 'always', clock: systemClock, fs, locks });
  },
  survives: true,
});

/** Two events with it fill a segment. */
const PAD = 'x'.repeat(500);

let place: Place;
let fs: WindowsFileSystem;
beforeEach(async () => {
  place = await Place.create();
  fs = new WindowsFileSystem();
});
afterEach(() => place.remove());

function start(options?: Partial<FileJournalOptions>): Promise<Life> {
  return place.open({ fs, locks, segmentBytes: 1_000, ...options });
}

/** Makes one byte wrong. */
async function damage(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.from('?'), 0, 1, 100);
  await file.close();
}

describe('where nothing that is open can be renamed or removed', () => {
  it('a journal removes all that was delivered, and is still open itself', async () => {
    const { journal, witness } = await start();
    for (let number = 0; number < 10; number += 1) {
      const range = await journal.append(group(numbered(number, 1, PAD)));
      expect(await readAll(journal, [range])).toHaveLength(1);
      await journal.acknowledge(range);
    }
    await expect.poll(async () => (await place.files('.segment')).length).toBeLessThanOrEqual(1);
    await expect.poll(async () => (await place.files('.acks')).length).toBeLessThanOrEqual(1);
    expect(witness.failures).toEqual([]);
    await journal.close();
    expect(await readdir(place.directory)).toEqual([]);
  });

  it('what a killed process left is taken over, and a file with damage is set aside', async () => {
    const mortal = new MortalLocks();
    const { journal } = await start({ locks: mortal });
    for (let number = 0; number < 10; number += 1) await journal.append(group(numbered(number, 1, PAD)));
    const [first = ''] = await place.files('.segment');
    await damage(first);
    // Nothing of it is under way: its code lives on, and would write again what is moved.
    await journal.sync();
    mortal.killAll();
    fs.killAll();
    const next = await start({ locks: mortal });
    const events = await readAll(next.journal, next.witness.ranges);
    expect(events.length).toBeGreaterThanOrEqual(9);
    for (const range of next.witness.ranges) await next.journal.acknowledge(range);
    await expect.poll(() => place.files('.segment')).toEqual([]);
    expect(await place.files('.damaged')).toHaveLength(1);
    expect(next.witness.failures).toEqual([]);
  });

  it('a takeover that an open file prevents is told, and made once it is closed', async () => {
    const mortal = new MortalLocks();
    const { journal } = await start({ locks: mortal });
    await journal.append(group(numbered(0, 3)));
    await journal.sync();
    mortal.killAll();
    fs.killAll();
    const [segment = ''] = await place.files('.segment');
    const scanner = await fs.openToRead(segment);
    const next = await start({ locks: mortal });
    expect(next.witness.failures.map(String)).toEqual([expect.stringContaining('EPERM')]);
    await scanner.close();
    place.clock.advance(60_000);
    await expect.poll(() => next.witness.ranges).toHaveLength(1);
    expect(await readAll(next.journal, next.witness.ranges)).toEqual(numbered(0, 3));
  });
});

describe('a lock that is a pipe', () => {
  it('keeps other processes off what its holder has, and leaves nothing in the directory', async () => {
    const { journal } = await start();
    await journal.append(group(numbered(0, 3)));
    expect(await place.files('.lock')).toEqual([]);
    const other = await start();
    expect(other.witness.ranges).toEqual([]);
    await journal.close();
    await other.journal.close();
    const { witness } = await start();
    expect(witness.ranges).toHaveLength(1);
  });
});

it('no file or directory of a journal has a name that Windows refuses', async () => {
  const { journal } = await start();
  const range = await journal.append(group(numbered(0, 3)));
  await journal.acknowledge({ ...range, to: 1 });
  journal.appendSync(group(numbered(3, 1)));
  const paths = await readdir(place.directory, { recursive: true });
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) {
    expect(basename(path)).not.toMatch(/[<>:"\\|?*]|[. ]$/);
    expect(basename(path)).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
  }
});
