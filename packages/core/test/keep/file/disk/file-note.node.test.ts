import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileNote } from '../../../../src/keep/file/disk/file-note.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  path = join(directory, 'part', 'session');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a note in a file', () => {
  it('is absent, or what was written last', async () => {
    const note = new FileNote(path);
    expect(await note.read()).toBeUndefined();
    await note.change(() => 'ada');
    await note.change((text) => `${text} and bob`);
    expect(await new FileNote(path).read()).toBe('ada and bob');
  });

  it.skipIf(process.platform === 'win32').each<[string, (path: string) => Promise<unknown>]>([
    ['a named pipe', async (path) => execFileSync('mkfifo', [path])],
    ['a link', (path) => symlink(join(directory, 'other'), path)],
    ['a gigabyte', (path) => writeFile(path, '').then(() => truncate(path, 2 ** 30))],
  ])('that somebody replaced by %s is absent, and written anew', async (_, plant) => {
    const note = new FileNote(path);
    await writeFile(join(directory, 'other'), 'of somebody else');
    await note.change(() => 'ada');
    await rm(path);
    await plant(path);
    expect(await note.read()).toBeUndefined();
    await note.change((text) => `${text} and bob`);
    expect(await note.read()).toBe('undefined and bob');
    expect(await readFile(join(directory, 'other'), 'utf8')).toBe('of somebody else');
  });

  it('leaves nothing else where it cannot be written at the last moment', async () => {
    await mkdir(join(path, 'in the way'), { recursive: true });
    expect(() => new FileNote(path).writeSync('ada')).toThrow();
    expect(await readdir(join(directory, 'part'))).toEqual(['session']);
  });
});
