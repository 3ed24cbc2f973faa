import { type FileHandle, open } from 'node:fs/promises';
import type { FileRecord } from './file-record.ts';

const MOST_TEXT = 2_000;

/** A file of the records that are no events: each as JSON in a line, with its number and the reason. */
export class Rejects {
  readonly path: string;
  #file: FileHandle | undefined;
  bytes: number;

  /** @param bytes What is behind them belongs to records that are read again. */
  constructor(path: string, bytes: number) {
    this.path = path;
    this.bytes = bytes;
  }

  async add({ number, text, value }: FileRecord, reason: string): Promise<void> {
    if (this.#file === undefined) {
      this.#file = await open(this.path, this.bytes > 0 ? 'r+' : 'w', 0o600);
      await this.#file.truncate(this.bytes);
    }
    const shown = (text ?? JSON.stringify(value)).slice(0, MOST_TEXT);
    const line = Buffer.from(`${JSON.stringify({ line: number, reason, text: shown })}\n`);
    await this.#file.write(line, 0, line.length, this.bytes);
    this.bytes += line.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
