import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTracker } from '../../../../src/index.ts';
import { diskError } from '../../../../src/keep/file/disk/file-system.ts';

it.each([
  ['EACCES', 'where this user may not write: change that, or set journalDirectory'],
  ['EROFS', 'where this user may not write: change that, or set journalDirectory'],
  ['ENOSPC', 'where no space is left: free some, or set journalDirectory'],
])('a directory that fails with %s is named, with what to do', (code, advice) => {
  const cause = Object.assign(new Error(`${code}: no`), { code });
  expect(diskError('cannot write events to', '/data', cause)).toMatchObject({
    code: 'SLUICE_STORAGE',
    message: `cannot write events to /data, ${advice}: ${code}: no`,
    cause,
  });
});

it('a journal directory below a file is refused with what to do', async () => {
  const place = await mkdtemp(join(tmpdir(), 'sluice-'));
  const file = join(place, 'file');
  await writeFile(file, '');
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', logger: false },
    journalDirectory: join(file, 'journal'),
  });
  tracker.for('ada@example.com').track('purchase');
  const advice = 'which is no place for a directory: set journalDirectory: ENOTDIR';
  await expect(tracker.durable()).rejects.toThrow(advice);
  await tracker.close({ timeoutMs: 0 });
  await rm(place, { recursive: true });
});
