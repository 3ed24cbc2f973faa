import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { bareEventText } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import type { Store } from './store.ts';

/** Writes a group of texts in one transaction. */
type Write = (client: pg.Client, texts: readonly string[]) => Promise<unknown>;

const WAYS: Readonly<Record<'parcels' | 'copy', Write>> = {
  /** One row of bytes, as a parcel of Sluice. */
  parcels: (client, texts) =>
    client.query({
      name: 'insert',
      text: 'insert into bare (body) values ($1)',
      values: [Buffer.from(`[${texts.join(',')}]`)],
    }),
  /** A row for each event. */
  copy: (client, texts) =>
    pipeline(
      Readable.from([texts.map((text) => `${text.replaceAll('\\', '\\\\')}\n`).join('')]),
      client.query(copyFrom('copy bare (body) from stdin')),
    ),
};

/** What a good engineer writes by hand: a loop that inserts all that came, in groups, on one connection. */
export class BarePostgresStore implements Store {
  readonly #client: pg.Client;
  readonly #write: Write;
  readonly #groupEvents: number;
  #texts: string[] = [];
  #writing: Promise<void> | undefined;
  #events = 0;
  commits = 0;

  private constructor(client: pg.Client, write: Write, groupEvents: number) {
    this.#client = client;
    this.#write = write;
    this.#groupEvents = groupEvents;
  }

  static async open(way: 'parcels' | 'copy', connectionString: string, groupEvents: number): Promise<Store> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const type = way === 'copy' ? 'text' : 'bytea';
    await client.query(
      `drop table if exists bare; create table bare (id bigint generated always as identity primary key, body ${type})`,
    );
    await client.query('alter table bare alter column body set storage external');
    return new BarePostgresStore(client, WAYS[way], groupEvents);
  }

  add(event: SampleEvent): void {
    this.#texts.push(bareEventText(event));
    this.#events += 1;
  }

  endTurn(): void {
    if (this.#texts.length >= this.#groupEvents) this.#writing ??= this.#writeGroups(this.#groupEvents);
  }

  async settle(): Promise<void> {
    await this.#writing;
    await this.#writeGroups(1);
  }

  async count(): Promise<number> {
    const { rows } = await this.#client.query('select count(*)::int as rows from bare');
    // A parcel has many events: the rows must be as many as the commits.
    if (rows[0].rows !== this.commits && rows[0].rows !== this.#events)
      throw new Error(`${rows[0].rows} rows after ${this.commits} commits`);
    return this.#events;
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #writeGroups(least: number): Promise<void> {
    while (this.#texts.length >= least) {
      const texts = this.#texts.splice(0, this.#groupEvents);
      await this.#write(this.#client, texts);
      this.commits += 1;
    }
    this.#writing = undefined;
  }
}
