import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

interface Way {
  readonly type: 'bytea' | 'text';
  /** SQL of the number of events in the table. */
  readonly counted: string;
  /** Writes a group of texts in one transaction. */
  write(client: pg.Client, texts: readonly string[]): Promise<unknown>;
}

const WAYS: Readonly<Record<'parcels' | 'copy', Way>> = {
  /** One row of bytes, as a parcel of Sluice. */
  parcels: {
    type: 'bytea',
    counted: `sum(jsonb_array_length(convert_from(body, 'UTF8')::jsonb))`,
    write: (client, texts) =>
      client.query({
        name: 'insert',
        text: 'insert into bare (body) values ($1)',
        values: [Buffer.from(`[${texts.join(',')}]`)],
      }),
  },
  /** A row for each event. */
  copy: {
    type: 'text',
    counted: 'count(*)',
    write: (client, texts) =>
      pipeline(
        Readable.from([texts.map((text) => `${text.replaceAll('\\', '\\\\')}\n`).join('')]),
        client.query(copyFrom('copy bare (body) from stdin')),
      ),
  },
};

/** What a good engineer writes by hand: a loop that inserts all that came, in groups, on one connection. */
export class BarePostgresStore implements Store {
  readonly #client: pg.Client;
  readonly #way: Way;
  readonly #groupEvents: number;
  #texts: string[] = [];
  #writing: Promise<void> | undefined;
  commits = 0;

  private constructor(client: pg.Client, way: Way, groupEvents: number) {
    this.#client = client;
    this.#way = way;
    this.#groupEvents = groupEvents;
  }

  static async open(name: keyof typeof WAYS, connectionString: string, groupEvents: number): Promise<Store> {
    const way = WAYS[name];
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(
      `drop table if exists bare; create table bare (id bigint generated always as identity primary key, body ${way.type})`,
    );
    await client.query('alter table bare alter column body set storage external');
    return new BarePostgresStore(client, way, groupEvents);
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
  }

  endTurn(): void {
    if (this.#texts.length >= this.#groupEvents) this.#writing ??= this.#writeGroups(this.#groupEvents);
  }

  async settle(): Promise<void> {
    await this.#writing;
    await this.#writeGroups(1);
  }

  async count(): Promise<number> {
    const { rows } = await this.#client.query(`select (${this.#way.counted})::int as events from bare`);
    return rows[0].events;
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #writeGroups(least: number): Promise<void> {
    while (this.#texts.length >= least) {
      const texts = this.#texts.splice(0, this.#groupEvents);
      await this.#way.write(this.#client, texts);
      this.commits += 1;
    }
    this.#writing = undefined;
  }
}
