import { open, type RootDatabase } from 'lmdb';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

/** LMDB: a batch for each turn, which its own thread writes and syncs; nothing counts before `flushed`. */
export class LmdbStore implements Store {
  readonly #database: RootDatabase<string, number>;
  #texts: string[] = [];
  #added = 0;

  constructor(directory: string) {
    this.#database = open({ path: directory, encoding: 'string' });
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
  }

  endTurn(): void {
    const texts = this.#texts;
    this.#texts = [];
    this.#database.batch(() => {
      for (const text of texts) this.#database.put(this.#added++, text);
    });
  }

  async settle(): Promise<void> {
    if (this.#texts.length > 0) this.endTurn();
    await this.#database.flushed;
  }

  count(): number {
    return this.#database.getCount();
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
