import { setImmediate } from 'node:timers/promises';
import type { ReceivedEvent } from '../../events/tracked-events.ts';
import type { Database } from '../database.ts';
import { RowInsert } from '../row-insert.ts';
import { escapeText } from './escaped-text.ts';

// Events staged in one turn, which takes a few milliseconds.
const AT_ONCE = 1_000;
const COLUMNS = 'uuid, name, correlation_key, correlation_value, source, body';

/**
 * A very large batch. It is staged in portions, in a temporary table of this connection, and then stored with one statement. Other
 * requests are served in between.
 */
export class EventStaging implements Disposable {
  readonly #database: Database;
  readonly #table: string;

  /** `number` distinguishes batches that are staged at the same time. */
  constructor(database: Database, number: number) {
    this.#database = database;
    this.#table = `events_${number}`;
    database.exec(
      `CREATE TEMP TABLE ${this.#table} (at INTEGER PRIMARY KEY, uuid TEXT, name TEXT, correlation_key TEXT,
         correlation_value TEXT, source TEXT, body TEXT)`,
    );
  }

  async stage(batch: readonly ReceivedEvent[]): Promise<void> {
    const insert = new RowInsert(this.#database, `temp.${this.#table}`, COLUMNS.split(', '));
    for (let from = 0; from < batch.length; from += AT_ONCE) {
      await setImmediate();
      const rows = batch
        .slice(from, from + AT_ONCE)
        .flatMap(({ event, text }) => [
          event.uuid?.toLowerCase() ?? null,
          ...[event.event, event.correlationKey, event.correlationValue, event.source].map(escapeText),
          text,
        ]);
      insert.run(rows);
    }
  }

  /**
   * Stores the events that are new, with the ids after `newest`. Returns how many, and the ids of the events that the batch repeats,
   * each as often as it does.
   */
  store(newest: number, now: number, requestId: number | null): { stored: number; repeated: number[] } {
    const insert = (id: string, where: string) =>
      this.#database
        .prepare(
          `INSERT INTO events (id, ${COLUMNS}, received_at, request_id)
           SELECT ? + ${id}, ${COLUMNS}, ?, ? FROM temp.${this.#table} AS staged ${where}`,
        )
        .run(newest, now, requestId).changes;
    try {
      return { stored: insert('at', ''), repeated: [] };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // Most batches repeat no uuid. This one does, and takes longer.
    this.#database.exec(`CREATE INDEX temp.uuids_of_${this.#table} ON ${this.#table} (uuid, at)`);
    const isNew = `WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.uuid = staged.uuid) AND NOT EXISTS
      (SELECT 1 FROM temp.${this.#table} AS earlier WHERE earlier.uuid = staged.uuid AND earlier.at < staged.at)`;
    const stored = insert('row_number() OVER (ORDER BY at)', isNew);
    return { stored, repeated: this.#repeated(newest) };
  }

  #repeated(newest: number): number[] {
    const rows = this.#database
      .prepare(
        `SELECT events.id, count(*) - (events.id > ?) AS times FROM temp.${this.#table} AS staged
         JOIN events USING (uuid) GROUP BY events.id HAVING times > 0`,
      )
      .all(newest) as { id: number; times: number }[];
    return rows.flatMap(({ id, times }) => Array<number>(times).fill(id));
  }

  [Symbol.dispose](): void {
    if (this.#database.open) this.#database.exec(`DROP TABLE temp.${this.#table}`);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && String(Reflect.get(error, 'code')).startsWith('SQLITE_CONSTRAINT');
}
