import { Mount } from './mount.ts';

/** Mounts a disk in memory. It may be as small as needed. */
export function mountMemoryDisk(path: string, bytes: number): Mount {
  return new Mount(path, '-t', 'tmpfs', '-o', `size=${bytes}`, 'sluice-faults');
}
