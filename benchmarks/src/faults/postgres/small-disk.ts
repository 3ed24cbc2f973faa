import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountMemoryDisk } from '../disks/memory-disk.ts';
import type { Mount } from '../disks/mount.ts';

const CHUNK = Buffer.alloc(1024 * 1024);

/** A small disk for a server, which can be filled. The server has another user, so its path is open to all. */
export class SmallDisk {
  readonly #directory = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
  readonly #mount: Mount;

  constructor(bytes: number) {
    chmodSync(this.#directory, 0o755);
    this.#mount = mountMemoryDisk(join(this.#directory, 'disk'), bytes);
  }

  get path(): string {
    return this.#mount.path;
  }

  /** Takes all free space. */
  fill(): void {
    try {
      for (;;) appendFileSync(this.#filler, CHUNK);
    } catch {
      // It is full.
    }
  }

  /** Gives the space back. */
  free(): void {
    rmSync(this.#filler);
  }

  close(): Promise<void> {
    this.#mount[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true });
    return Promise.resolve();
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }
}
