import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../../../src/keep/file/disk/node-file-system.ts';

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
