import type { OpenFile } from '@sluice/core/file-journal';
import type { FailingDisk } from './failing-disk.ts';
import type { Operation } from './failures.ts';

/** An open file of a failing disk. */
export class FailingFile implements OpenFile {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #disk: FailingDisk;
  /** The writes since the last sync. */
  #unsynced: { readonly position: number; readonly length: number }[] = [];

  constructor(file: OpenFile, path: string, disk: FailingDisk) {
    this.#file = file;
    this.#path = path;
    this.#disk = disk;
  }

  async write(bytes: Uint8Array, position: number): Promise<number> {
    if (!this.#disk.fails('write', this.#path)) return this.#write(bytes, position);
    const { writesHalf, code } = this.#disk.failure;
    // At least one byte: no disk reports success for a write that stored nothing.
    const half = bytes.subarray(0, Math.max(1, Math.floor(bytes.length / 2)));
    const written = writesHalf ? await this.#write(half, position) : 0;
    if (code !== undefined) throw this.#disk.error('write', this.#path);
    return written;
  }

  writeSync(bytes: Uint8Array, position: number): number {
    this.#disk.check('writeSync', this.#path);
    return this.#file.writeSync(bytes, position);
  }

  read(target: Uint8Array, position: number): Promise<number> {
    return this.#checked('read', () => this.#file.read(target, position));
  }

  async sync(): Promise<void> {
    const syncing = this.#unsynced;
    this.#unsynced = [];
    if (!this.#disk.fails('sync', this.#path)) return this.#file.sync();
    if (this.#disk.failure.losesUnsynced) {
      for (const { position, length } of syncing) await this.#file.write(Buffer.alloc(length), position);
    }
    throw this.#disk.error('sync', this.#path);
  }

  syncSync(): void {
    this.#disk.check('syncSync', this.#path);
    this.#file.syncSync();
  }

  truncate(size: number): Promise<void> {
    return this.#checked('truncate', () => this.#file.truncate(size));
  }

  stat(): ReturnType<OpenFile['stat']> {
    return this.#checked('stat', () => this.#file.stat());
  }

  async close(): Promise<void> {
    // A file is closed even if `close` reports an error.
    await this.#file.close();
    this.#disk.check('close', this.#path);
  }

  async #write(bytes: Uint8Array, position: number): Promise<number> {
    const length = await this.#file.write(bytes, position);
    this.#unsynced.push({ position, length });
    return length;
  }

  async #checked<Result>(operation: Operation, run: () => Promise<Result>): Promise<Result> {
    this.#disk.check(operation, this.#path);
    return run();
  }
}
