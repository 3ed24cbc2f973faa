import { ClassicLevel } from 'classic-level';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

const KEY_DIGITS = 12;

/** LevelDB: a chained batch with `sync` for each group. It is written while the next batch is filled. No compression. */
export class LevelStore implements Store {
  readonly #level: ClassicLevel;
  #batch: ReturnType<ClassicLevel['batch']>;
  readonly #writes: Promise<void>[] = [];
  readonly #groupEvents: number;
  #added = 0;

  private constructor(level: ClassicLevel, groupEvents: number) {
    this.#level = level;
    this.#groupEvents = groupEvents;
    this.#batch = level.batch();
  }

  static async open(directory: string, groupEvents: number): Promise<LevelStore> {
    const level = new ClassicLevel(directory, { compression: false });
    await level.open();
    return new LevelStore(level, groupEvents);
  }

  add(event: SampleEvent): void {
    this.#batch.put(String(this.#added).padStart(KEY_DIGITS, '0'), bareEventText(event));
    this.#added += 1;
  }

  get commits(): number {
    return this.#writes.length;
  }

  endTurn(): void {
    if (this.#batch.length >= this.#groupEvents) this.#commit();
  }

  async settle(): Promise<void> {
    if (this.#batch.length > 0) this.#commit();
    await Promise.all(this.#writes);
  }

  async count(): Promise<number> {
    let count = 0;
    for await (const _ of this.#level.keys()) count += 1;
    return count;
  }

  async close(): Promise<void> {
    await this.#batch.close();
    await this.#level.close();
  }

  #commit(): void {
    this.#writes.push(this.#batch.write({ sync: true }));
    this.#batch = this.#level.batch();
  }
}
