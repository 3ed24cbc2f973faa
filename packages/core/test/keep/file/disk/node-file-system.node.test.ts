import { lstat, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorCode } from '../../../../src/keep/file/disk/file-system.ts';
import { leadsTo, nodeFileSystem } from '../../../../src/keep/file/disk/node-file-system.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a file that was closed', () => {
  it('takes nothing any more, and closes no other that was opened since', async () => {
    const closed = await nodeFileSystem.create(join(directory, 'closed'));
    await closed.close();
    const path = join(directory, 'other');
    const other = await nodeFileSystem.create(path);
    await expect(closed.close()).rejects.toThrow();
    await expect(closed.write(Buffer.from('x'), 0)).rejects.toThrow();
    await expect(closed.sync()).rejects.toThrow();
    await expect(closed.stat()).rejects.toThrow();
    expect(() => closed.writeSync(Buffer.from('x'), 0)).toThrow();
    expect(await other.write(Buffer.from('its own'), 0)).toBe(7);
    await other.close();
    expect(await readFile(path, 'utf8')).toBe('its own');
  });
});

describe('a directory is made with its parents, one by one', () => {
  it('for the user alone, however often, and at the same time', async () => {
    const path = join(directory, 'a', 'b', 'c');
    await Promise.all([1, 2, 3].map(() => nodeFileSystem.makeDirectory(path)));
    nodeFileSystem.makeDirectorySync(join(path, 'd', 'e'));
    nodeFileSystem.makeDirectorySync(path);
    for (const made of [join(directory, 'a'), path, join(path, 'd', 'e')])
      expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.platform === 'linux')('where it cannot be made, it fails', async () => {
    const path = '/proc/nowhere/journal';
    await expect(nodeFileSystem.makeDirectory(path)).rejects.toThrow('ENOENT');
    expect(() => nodeFileSystem.makeDirectorySync(path)).toThrow('ENOENT');
  });
});

describe('the code of an error', () => {
  it('is known where the error is of another realm, as all errors of Node are in Jest', () => {
    const error: unknown = runInNewContext(`Object.assign(new Error('no such file'), { code: 'ENOENT' })`);
    expect(error).not.toBeInstanceOf(Error);
    expect(errorCode(error)).toBe('ENOENT');
  });

  it.each([undefined, null, 'ENOENT', new Error('without a code'), { code: 1 }])(
    'is undefined for %s, which has none',
    (thrown) => {
      expect(errorCode(thrown)).toBeUndefined();
    },
  );
});

describe('a path leads to the file that was opened', () => {
  it('on Windows too, where Node 22 gives one volume two numbers', async () => {
    const path = join(directory, 'file');
    await writeFile(path, '');
    const { dev, ino } = await lstat(path);
    const byHandle = { dev: dev + 1, ino };
    expect(await leadsTo(path, byHandle, 'win32')).toBe(true);
    expect(await leadsTo(path, { dev, ino: ino + 1 }, 'win32')).toBe(false);
    expect(await leadsTo(path, byHandle, 'linux')).toBe(false);
  });
});

it.runIf(process.platform === 'linux')(
  'a file system that has no size, as a tmpfs without a limit, has room for everything',
  async () => {
    expect(await nodeFileSystem.volume('/proc')).toMatchObject({
      freeBytes: Number.POSITIVE_INFINITY,
      totalBytes: Number.POSITIVE_INFINITY,
    });
  },
);
