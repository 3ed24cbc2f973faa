import type { Clock, Timer } from '@sluice/protocol/toolbox';
import type { Database } from '../database/database.ts';

/** Calls are at least so far apart, in milliseconds: at a commit, PostgreSQL lets one notification pass at a time. */
const LEAST_MS = 50;
/** PostgreSQL's limit of a name, in bytes. */
const MOST_NAME_BYTES = 63;

/** The channel of a schema. Two long names may share one: then a forwarder looks once too often. */
export function channelOf({ schema }: Pick<Database, 'schema'>): string {
  return `sluice:${schema.replaceAll('"', '')}`.slice(0, MOST_NAME_BYTES);
}

/** Calls the forwarders when there is something new, never in a transaction that inserts. */
export class Bell {
  readonly #database: Database;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #isDue = false;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  ring(): void {
    this.#isDue = true;
    if (this.#timer) return;
    this.#isDue = false;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue) this.ring();
    }, LEAST_MS);
    const values = [channelOf(this.#database)];
    // If it fails, forwarders look by themselves a little later.
    this.#database
      .run({ what: 'call forwarders', text: `select pg_notify($1, '')`, values })
      .catch(() => undefined);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
