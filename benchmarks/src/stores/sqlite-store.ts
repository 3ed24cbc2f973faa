import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

/** SQLite: WAL, `synchronous = FULL`, a transaction for each group. Larger pages and fewer checkpoints make it faster. */
export class SqliteStore implements Store {
  readonly #database: Libsql.Database;
  readonly #insert: Libsql.Statement<unknown[]>;
  readonly #groupEvents: number;
  #texts: string[] = [];
  commits = 0;

  constructor(directory: string, groupEvents: number) {
    this.#groupEvents = groupEvents;
    mkdirSync(directory);
    this.#database = new Libsql(join(directory, 'events.db'));
    for (const setting of [
      'page_size = 16384',
      'journal_mode = WAL',
      'synchronous = FULL',
      'locking_mode = EXCLUSIVE',
      'wal_autocheckpoint = 4000',
    ]) {
      this.#database.pragma(setting);
    }
    this.#database.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
    this.#insert = this.#database.prepare('INSERT INTO events (text) VALUES (?)');
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
  }

  endTurn(): void {
    if (this.#texts.length >= this.#groupEvents) this.#commit();
  }

  async settle(): Promise<void> {
    if (this.#texts.length > 0) this.#commit();
  }

  count(): number {
    const { count } = this.#database.prepare('SELECT count(*) AS count FROM events').get() as {
      count: number;
    };
    return count;
  }

  close(): void {
    this.#database.close();
  }

  #commit(): void {
    this.#database.exec('BEGIN');
    for (const text of this.#texts) this.#insert.run(text);
    this.#database.exec('COMMIT');
    this.#texts = [];
    this.commits += 1;
  }
}
