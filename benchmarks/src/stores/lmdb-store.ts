import { open, type RootDatabase } from 'lmdb';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

/** LMDB: a batch for each group, which LMDB's own thread writes and syncs. Events are safe only after `flushed`. */
export class LmdbStore implements Store {
  readonly #database: RootDatabase<string, number>;
  #texts: string[] = [];
  readonly #groupEvents: number;
  #added = 0;
  commits = 0;

  constructor(directory: string, groupEvents: number) {
    this.#groupEvents = groupEvents;
    this.#database = open({ path: directory, encoding: 'string' });
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
  }

  endTurn(): void {
    if (this.#texts.length >= this.#groupEvents) this.#commit();
  }

  async settle(): Promise<void> {
    if (this.#texts.length > 0) this.#commit();
    await this.#database.flushed;
  }

  count(): number {
    return this.#database.getCount();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #commit(): void {
    const texts = this.#texts;
    this.#texts = [];
    this.commits += 1;
    this.#database.batch(() => {
      for (const text of texts) this.#database.put(this.#added++, text);
    });
  }
}
