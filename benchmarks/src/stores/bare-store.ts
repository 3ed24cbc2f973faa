import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import { countLines } from './line-count.ts';
import type { Store } from './store.ts';

/** While one group is synced, the next one is written. */
const MOST_AT_ONCE = 2;

/** What a good engineer writes by hand: one write and one fdatasync for all lines that came meanwhile. */
export class BareStore implements Store {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #groupEvents: number;
  readonly #writers = new Set<Promise<void>>();
  #texts: string[] = [];
  /** Settled once all writes so far are done: they run one after the other. */
  #written: Promise<void> = Promise.resolve();
  commits = 0;

  private constructor(path: string, file: FileHandle, groupEvents: number) {
    this.#path = path;
    this.#file = file;
    this.#groupEvents = groupEvents;
  }

  /** @param groupEvents The fewest events that are synced together. */
  static async open(directory: string, groupEvents: number): Promise<BareStore> {
    await mkdir(directory);
    const path = join(directory, 'events.jsonl');
    return new BareStore(path, await open(path, 'a'), groupEvents);
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
  }

  endTurn(): void {
    if (this.#texts.length >= this.#groupEvents && this.#writers.size < MOST_AT_ONCE) this.#startWriter();
  }

  async settle(): Promise<void> {
    if (this.#texts.length > 0) this.#startWriter();
    await Promise.all(this.#writers);
  }

  count(): Promise<number> {
    return countLines(this.#path);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #startWriter(): void {
    const writer = this.#writeGroups();
    this.#writers.add(writer);
    void writer.finally(() => this.#writers.delete(writer));
  }

  async #writeGroups(): Promise<void> {
    do {
      const group = Buffer.from(`${this.#texts.join('\n')}\n`);
      this.#texts = [];
      this.#written = this.#written.then(() => this.#file.appendFile(group));
      await this.#written;
      await this.#file.datasync();
      this.commits += 1;
    } while (this.#texts.length >= this.#groupEvents);
  }
}
