import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@sluice/test-servers';
import { LoopDisk } from './loop-disk.ts';
import { mountMemoryDisk } from './memory-disk.ts';

const MIB = 1024 * 1024;

/** Why no disk of this kind can be mounted here; undefined if one can. Mounts one to find out. */
export function mountObstacle(kind: 'loop' | 'memory'): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has this kind of disk';
  if (process.getuid?.() !== 0) return 'only root can mount a disk';
  const programs = kind === 'loop' ? ['mount', 'umount', 'mkfs.ext4', 'perl'] : ['mount', 'umount'];
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) return `there is no ${missing.join(', ')} here`;
  const directory = mkdtempSync(join(tmpdir(), 'sluice-mount-'));
  const path = join(directory, 'disk');
  try {
    using disk = kind === 'loop' ? new LoopDisk(path, 2 * MIB) : mountMemoryDisk(path, MIB);
    if (disk instanceof LoopDisk) disk.cutPower();
    return undefined;
  } catch (error) {
    return `no disk can be mounted here: ${error instanceof Error ? error.message.trim() : error}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
