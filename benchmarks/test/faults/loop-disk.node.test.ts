import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LoopDisk } from '../../src/faults/disks/loop-disk.ts';
import { mountObstacle } from '../../src/faults/disks/obstacle.ts';

const MIB = 1024 * 1024;
const scratch = mkdtempSync(join(tmpdir(), 'sluice-disk-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it.skipIf(mountObstacle('loop') !== undefined)(
  'a disk whose power is cut keeps what was synced, refuses what comes then, and is gone in the end',
  () => {
    const path = join(scratch, 'disk');
    {
      using disk = new LoopDisk(path, 8 * MIB);
      write(join(path, 'synced'), true);
      write(join(path, 'unsynced'), false);
      disk.cutPower();
      expect(() => write(join(path, 'late'), false)).toThrow('EIO');
      disk.restart();
      expect(readFileSync(join(path, 'synced'), 'utf8')).toBe('written');
      expect(existsSync(join(path, 'unsynced'))).toBe(false);
    }
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(path);
  },
);

function write(path: string, isSynced: boolean): void {
  const file = openSync(path, 'w');
  writeSync(file, 'written');
  if (isSynced) fsyncSync(file);
  closeSync(file);
}
