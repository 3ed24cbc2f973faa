import { Mount } from './mount.ts';

/** A disk of a given size, as small as it may be. */
export function mountMemoryDisk(path: string, bytes: number): Mount {
  return new Mount(path, '-t', 'tmpfs', '-o', `size=${bytes}`, 'sluice-faults');
}
