import { type FileHandle, open, rm } from 'node:fs/promises';
import type { FileRecord } from './file-record.ts';

interface RejectsOptions {
  readonly path: string;
  /** What is behind them belongs to records that are read again. */
  readonly bytes: number;
  /** Whether others write to this file too: then all of it stays, and `bytes` are those of the own file. */
  readonly isShared: boolean;
  /** The most characters of a record. */
  readonly mostText: number;
}

/** A file of the records that are no events: each as JSON in a line, with its number and the reason. */
export class Rejects {
  readonly path: string;
  readonly #options: RejectsOptions;
  #file: FileHandle | undefined;
  #first: { readonly line: number; readonly reason: string } | undefined;
  bytes: number;

  constructor(options: RejectsOptions) {
    this.path = options.path;
    this.bytes = options.bytes;
    this.#options = options;
  }

  /** The first one that this process added. */
  get first(): { readonly line: number; readonly reason: string } | undefined {
    return this.#first;
  }

  /** Throws an Error that says what to do if the file cannot be written. */
  async add({ number, text, value }: FileRecord, reason: string): Promise<void> {
    const shown = (text ?? JSON.stringify(value)).slice(0, this.#options.mostText);
    const line = Buffer.from(`${JSON.stringify({ line: number, reason, text: shown })}\n`);
    try {
      this.#file ??= await this.#open();
      await this.#file.write(line, 0, line.length, this.#options.isShared ? null : this.bytes);
    } catch (cause) {
      throw new Error(`cannot write bad records to ${this.path}: name another file with --rejects`, {
        cause,
      });
    }
    if (!this.#options.isShared) this.bytes += line.length;
    this.#first ??= { line: number, reason };
  }

  /** Removes what an earlier sending wrote, if this one begins and the file is its own. */
  async begin(): Promise<void> {
    if (!this.#options.isShared && this.bytes === 0) await rm(this.path, { force: true });
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #open(): Promise<FileHandle> {
    if (this.#options.isShared) return open(this.path, 'a', 0o600);
    if (this.bytes > 0) {
      const file = await open(this.path, 'r+').catch(() => undefined);
      // Somebody may have moved it away, or shortened it: then a new one begins.
      if (file && (await file.stat()).size >= this.bytes) {
        await file.truncate(this.bytes);
        return file;
      }
      await file?.close();
      this.bytes = 0;
    }
    return open(this.path, 'w', 0o600);
  }
}
