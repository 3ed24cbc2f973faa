import { type Clock, sleep } from '@sluice/protocol/toolbox';
import type { Database } from '../database/database.ts';

/** Calls start at least so far apart, in milliseconds: at a commit, PostgreSQL lets one notification pass at a time. */
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
  readonly #stopping = new AbortController();
  #isDue = false;
  #isRinging = false;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  ring(): void {
    this.#isDue = true;
    if (!this.#isRinging) void this.#ring();
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Calls while it is due, one call at a time. */
  async #ring(): Promise<void> {
    const { signal } = this.#stopping;
    const call = {
      what: 'call forwarders',
      text: `select pg_notify($1, '')`,
      values: [channelOf(this.#database)],
    };
    this.#isRinging = true;
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      const pause = sleep(this.#clock, LEAST_MS, signal);
      // If it fails, forwarders look by themselves a little later.
      await this.#database.run(call).catch(() => undefined);
      await pause;
    }
    this.#isRinging = false;
  }
}
