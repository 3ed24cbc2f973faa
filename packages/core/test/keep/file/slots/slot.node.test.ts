import { writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../../src/keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../../../src/keep/file/disk/node-file-system.ts';
import { Slot } from '../../../../src/keep/file/slots/slot.ts';
import { systemLocks } from '../../../../src/keep/file/slots/system-locks.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { Place } from '../place.ts';

const HOUR = 60 * 60_000;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

function claim(fs: FileSystem = nodeFileSystem, onVisit = () => {}): Promise<Slot> {
  return claimIn(place.directory, { fs, onVisit });
}

function claimIn(
  root: string,
  { onVisit = () => {}, ...more }: Partial<Parameters<typeof Slot.claim>[0]> & { onVisit?: () => void } = {},
): Promise<Slot> {
  const defaults = { fs: nodeFileSystem, locks: systemLocks, isPart: false };
  return Slot.claim({ ...defaults, root, ours: new Set(), ...more }, onVisit);
}

/** Directories of slots, as pairs of owner and origin. */
async function slots(): Promise<string[][]> {
  const names = await readdir(place.directory);
  return names.filter((name) => /^[0-9a-f]{16}\.[0-9a-f]{16}$/.test(name)).map((name) => name.split('.'));
}

describe('a slot', () => {
  it('is a directory of its own behind a lock, for its user alone; both are its owner’s name', async () => {
    const slot = await claim();
    const [[owner, origin] = [], ...others] = await slots();
    expect([origin, others]).toEqual([owner, []]);
    expect(slot.directory).toBe(join(place.directory, `${owner}.${owner}`));
    expect((await stat(slot.directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(place.directory, `${owner}.lock`))).isSocket()).toBe(true);
    await slot.release();
    expect(await place.files('.lock')).toEqual([]);
  });

  it('is given to each of many that claim one at once', async () => {
    const claimed = await Promise.all(Array.from({ length: 20 }, () => claim()));
    expect(new Set(claimed.map(({ directory }) => directory)).size).toBe(20);
    const found = await Promise.all(claimed.map((slot) => slot.adopt()));
    expect(found.every(({ adopted, hasCompany }) => adopted.length === 0 && hasCompany)).toBe(true);
    for (const slot of claimed) await slot.release();
  });

  it('is refused on a file system that other machines share, and nothing is left of it', async () => {
    const fs = new FailingFileSystem();
    fs.volumeIs = { network: 'NFS' };
    await expect(claim(fs)).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: `${place.directory} is on NFS: the journal needs a directory on a disk of this machine`,
    });
    expect(await readdir(place.directory)).toEqual([]);
  });

  it('is in a directory that is a link where that is its user’s choice, and refused where it is not', async () => {
    const link = `${place.directory}-link`;
    await symlink(place.directory, link);
    await expect(claimIn(link, { isPart: true })).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining(`${link} is a link`),
    });
    expect(await readdir(place.directory)).toEqual([]);
    const slot = await claimIn(link);
    expect(await slots()).toHaveLength(1);
    await slot.release();
    await rm(link);
  });

  it('is given back where its directory cannot be made', async () => {
    const fs = new FailingFileSystem();
    fs.fail('makeDirectory', 'ENOSPC', { path: /\.[0-9a-f]{16}$/ });
    await expect(claim(fs)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(place.directory)).toEqual([]);
  });

  it('tells its owner of a visit', async () => {
    let visits = 0;
    const first = await claim(nodeFileSystem, () => {
      visits += 1;
    });
    const second = await claim();
    expect(await second.adopt()).toMatchObject({ adopted: [], hasCompany: true });
    await expect.poll(() => visits).toBe(1);
    await Promise.all([first.release(), second.release()]);
  });

  it('goes to exactly one of many that adopt at once, with all that its owner had adopted itself', async () => {
    const [first, second] = await Promise.all([claim(), claim()]);
    await first.release();
    expect((await second.adopt()).adopted).toHaveLength(1);
    await second.release();
    expect(await slots()).toHaveLength(2);
    const heirs = await Promise.all(Array.from({ length: 8 }, () => claim()));
    const found = await Promise.all(heirs.map((heir) => heir.adopt()));
    expect(found.flatMap(({ adopted }) => adopted)).toHaveLength(2);
    expect(await slots()).toHaveLength(10);
    for (const heir of heirs) await heir.release();
  });

  it('is left where it cannot be renamed, and another may adopt it', async () => {
    await (await claim()).release();
    const fs = new FailingFileSystem();
    fs.fail('rename', 'EACCES');
    const heir = await claim(fs);
    expect((await heir.adopt()).adopted).toEqual([]);
    expect((await heir.adopt()).adopted).toHaveLength(1);
    await heir.release();
  });

  it('is taken over from a process that ended before it could claim one, not before it was done', async () => {
    const heir = await claim();
    const options = { root: place.directory, fs: nodeFileSystem, ours: new Set<string>() };
    const cutOff = (directory: string) => {
      writeFileSync(join(directory, '00000001.segment'), 'the disk is full');
      throw new Error('cut off');
    };
    expect(() => Slot.leaveSync(options, cutOff)).toThrow('cut off');
    expect((await heir.adopt()).adopted).toEqual([]);
    expect(await place.files('.segment')).toEqual([]);
    expect((await readdir(place.directory)).filter((name) => name.startsWith('unfinished'))).toEqual([]);
    Slot.leaveSync(options, () => {});
    expect((await heir.adopt()).adopted).toHaveLength(1);
    await heir.release();
  });

  it('is not made of what only looks like one', async () => {
    await mkdir(join(place.directory, 'somebody'));
    await mkdir(join(place.directory, `${'A'.repeat(16)}.${'A'.repeat(16)}`));
    await writeFile(join(place.directory, `${'a'.repeat(16)}.${'a'.repeat(16)}`), 'a file');
    const slot = await claim();
    expect(await slot.adopt()).toMatchObject({ adopted: [], hasCompany: false });
    await slot.release();
  });

  it('clears a lock without a directory away once no process can be about to make one', async () => {
    const [old, young] = ['a', 'b'].map((digit) => join(place.directory, `${digit.repeat(16)}.lock`));
    for (const path of [old ?? '', young ?? '']) await writeFile(path, '');
    const longAgo = new Date(Date.now() - 2 * HOUR);
    await utimes(old ?? '', longAgo, longAgo);
    const slot = await claim();
    await slot.adopt();
    const left = await place.files('.lock');
    expect([left.includes(old ?? ''), left.includes(young ?? '')]).toEqual([false, true]);
    await slot.release();
  });
});
