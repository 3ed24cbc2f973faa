import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../../src/keep/file/disk/file-system.ts';
import { OpenFiles } from '../../../../src/keep/file/segments/open-files.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const [a = '', b = '', c = ''] = await Promise.all(
  ['a', 'b', 'c'].map(async (name) => {
    const path = join(scratch, name);
    await writeFile(path, name);
    return path;
  }),
);

const inUse: OpenFiles[] = [];
afterEach(async () => {
  for (const files of inUse.splice(0)) await files.closeAll();
});

function createBench(most = 2): {
  readonly fs: FailingFileSystem;
  readonly files: OpenFiles;
  readonly content: (path: string) => Promise<string>;
} {
  const fs = new FailingFileSystem();
  const files = new OpenFiles(fs, most);
  inUse.push(files);
  const read = async (file: OpenFile): Promise<string> => {
    const bytes = Buffer.alloc(1);
    await file.read(bytes, 0);
    return bytes.toString();
  };
  return { fs, files, content: (path) => files.use(path, 'read', read) };
}

/** Keeps a file in use until the returned function is called. */
function occupy(files: OpenFiles, path: string): () => Promise<void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const use = files.use(path, 'read', () => released);
  return () => {
    release();
    return use;
  };
}

describe('OpenFiles', () => {
  it('opens a file once for many uses, also for those at the same time', async () => {
    const { fs, content } = createBench();
    expect(await Promise.all([content(a), content(a)])).toEqual(['a', 'a']);
    expect(await content(a)).toBe('a');
    expect([fs.count('openToRead'), fs.count('close')]).toEqual([1, 0]);
  });

  it('closes the one that was not used for longest where there are too many', async () => {
    const { fs, content } = createBench();
    for (const path of [a, b, a, c]) await content(path);
    expect(fs.calls.filter(({ operation }) => operation === 'close').map(({ path }) => path)).toEqual([b]);
    await content(a);
    expect(fs.count('openToRead')).toBe(3);
  });

  it('closes none that is in use, and those above the bound once they are not', async () => {
    const { fs, files, content } = createBench(1);
    const ends = [occupy(files, a), occupy(files, b), occupy(files, c)];
    await content(a);
    expect(fs.count('close')).toBe(0);
    for (const end of ends) await end();
    expect(fs.count('close')).toBe(2);
  });

  it('lets whoever uses a file go on when it is to be closed, and closes it behind the last of them', async () => {
    const { fs, files, content } = createBench();
    const ends = [occupy(files, a), occupy(files, a)];
    await files.close(a);
    await ends[0]?.();
    expect(fs.count('close')).toBe(0);
    await ends[1]?.();
    expect(fs.count('close')).toBe(1);
    expect(await content(a)).toBe('a');
    expect(fs.count('openToRead')).toBe(2);
  });

  it('does nothing where what is to be closed is not open', async () => {
    const { fs, files } = createBench();
    await files.close(a);
    await files.closeAll();
    expect(fs.calls).toEqual([]);
  });

  it('opens a file again after something failed with it', async () => {
    const { fs, content } = createBench();
    fs.fail('read', 'EIO');
    await expect(content(a)).rejects.toMatchObject({ code: 'EIO' });
    expect(fs.count('close')).toBe(1);
    expect(await content(a)).toBe('a');
    expect(fs.count('openToRead')).toBe(2);
  });

  it('tries to open a file again after that failed', async () => {
    const { fs, content } = createBench();
    fs.fail('openToRead', 'EACCES');
    await expect(content(a)).rejects.toMatchObject({ code: 'EACCES' });
    expect(await content(a)).toBe('a');
  });

  it.each(['EMFILE', 'ENFILE'])('closes those that are idle and tries again on %s', async (code) => {
    const { fs, files, content } = createBench(8);
    await content(a);
    const end = occupy(files, b);
    await content(b);
    fs.fail('openToRead', code);
    expect(await content(c)).toBe('c');
    expect(fs.calls.filter(({ operation }) => operation === 'close').map(({ path }) => path)).toEqual([a]);
    await end();
  });

  it('says that there are too many where that does not help', async () => {
    const { fs, content } = createBench();
    fs.fail('openToRead', 'EMFILE', { times: 2 });
    await expect(content(a)).rejects.toMatchObject({ code: 'EMFILE' });
    expect(await content(a)).toBe('a');
  });

  it('is not disturbed by a file that cannot be closed', async () => {
    const { fs, files, content } = createBench(1);
    fs.fail('close', 'EIO', { times: 2 });
    await content(a);
    await content(b);
    await files.closeAll();
    expect(fs.count('close')).toBe(2);
  });

  it('keeps none open behind closeAll(), also not what is used later', async () => {
    const { fs, files, content } = createBench();
    const end = occupy(files, c);
    await content(a);
    await content(b);
    await files.closeAll();
    expect(fs.count('close')).toBe(2);
    await end();
    await content(a);
    expect(fs.count('close')).toBe(4);
  });
});

it('a file that a disk of the user hands out is not changed', async () => {
  const fs = new FailingFileSystem();
  const openToRead = fs.openToRead.bind(fs);
  fs.openToRead = async (path) => Object.freeze(await openToRead(path));
  const files = new OpenFiles(fs, 1, systemClock);
  inUse.push(files);
  const bytes = Buffer.alloc(1);
  await files.use(a, 'read', (file) => file.read(bytes, 0));
  expect(bytes.toString()).toBe('a');
});
