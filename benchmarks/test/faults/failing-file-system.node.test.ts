import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FailingDisk } from '../../src/faults/failing/failing-disk.ts';
import { failingFileSystem } from '../../src/faults/failing/failing-file-system.ts';
import type { FailurePlan } from '../../src/faults/failing/failures.ts';

const scratch = mkdtempSync(join(tmpdir(), 'sluice-failing-'));
const BYTES = Buffer.from('12345678');
let files = 0;

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function open(plan: FailurePlan) {
  files += 1;
  const path = join(scratch, String(files));
  const disk = new FailingDisk(plan);
  const file = await failingFileSystem(disk).create(path);
  return { disk, file, read: () => readFileSync(path, 'utf8') };
}

describe('a disk that fails', () => {
  it('fails in the n-th operation that can fail so, and in no other', async () => {
    const { disk, file } = await open({ failure: 'ENOSPC', nth: 3, lasts: 'once' });
    await file.write(BYTES, 0);
    await file.sync();
    await expect(file.write(BYTES, 8)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(disk.wasHit).toBe(true);
    expect(await file.write(BYTES, 8)).toBe(8);
    await file.close();
  });

  it('fails from then on until it is repaired', async () => {
    const { disk, file, read } = await open({ failure: 'EIO', nth: 2, lasts: 'a while' });
    await expect(file.write(BYTES, 0)).rejects.toMatchObject({ code: 'EIO' });
    await expect(file.stat()).rejects.toMatchObject({ code: 'EIO' });
    disk.repair();
    await file.write(BYTES, 0);
    await file.close();
    expect(read()).toBe('12345678');
  });

  it('takes half of a write, and says so or fails', async () => {
    const short = await open({ failure: 'short write', nth: 1, lasts: 'once' });
    expect(await short.file.write(BYTES, 0)).toBe(4);
    const torn = await open({ failure: 'torn write', nth: 1, lasts: 'once' });
    await expect(torn.file.write(BYTES, 0)).rejects.toMatchObject({ code: 'ENOSPC' });
    for (const { file, read } of [short, torn]) {
      await file.close();
      expect(read()).toBe('1234');
    }
  });

  it('loses what was not synced where a sync is lost', async () => {
    const { file, read } = await open({ failure: 'lost sync', nth: 2, lasts: 'once' });
    await file.write(BYTES, 0);
    await file.sync();
    await file.write(BYTES, 8);
    await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' });
    await file.close();
    expect(read()).toBe(`12345678${'\0'.repeat(8)}`);
  });
});
