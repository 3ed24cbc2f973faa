import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import { countLines } from './line-count.ts';
import type { Store } from './store.ts';

const PIECE_BYTES = 256 * 1024;

/** What one would write by hand: lines, written and synced in pieces. The next is made while the last is on its way. */
export class BareStore implements Store {
  readonly #path: string;
  readonly #file: FileHandle;
  #texts: string[] = [];
  #length = 0;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async open(directory: string): Promise<BareStore> {
    await mkdir(directory);
    const path = join(directory, 'events.jsonl');
    return new BareStore(path, await open(path, 'a'));
  }

  add(event: SampleEvent): void {
    const text = bareEventText(event);
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE_BYTES) this.#endPiece();
  }

  endTurn(): void {}

  settle(): Promise<void> {
    this.#endPiece();
    return this.#written;
  }

  count(): Promise<number> {
    return countLines(this.#path);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #endPiece(): void {
    if (this.#texts.length === 0) return;
    const piece = Buffer.from(`${this.#texts.join('\n')}\n`);
    this.#texts = [];
    this.#length = 0;
    this.#written = this.#written.then(async () => {
      await this.#file.appendFile(piece);
      await this.#file.datasync();
    });
  }
}
