import { StorageError } from '@sluice/core';
import type { Database } from '../database/database.ts';
import { SYNCHRONOUS_COMMIT } from './status.ts';

/** Whether commits are as safe as they look. */
export class Durability {
  readonly #database: Database;
  /** Whether a commit may not have reached the standby, and none after it did for sure. */
  #isInDoubt = false;
  #checking: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** PostgreSQL gave up waiting for the standby. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  /** Rejects with a StorageError unless all that was committed before survives a power cut. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const [row] = await this.#database.run(SYNCHRONOUS_COMMIT);
    if (row?.value === 'off')
      throw new StorageError('PostgreSQL may lose the last commits: synchronous_commit is off');
    if (!this.#isInDoubt) return;
    this.#isInDoubt = false;
    // A commit that reaches the standby comes behind all commits of before.
    await this.#database.run({
      what: 'reach the standby',
      text: `update ${this.#database.schema}.slot set epoch = epoch where outbox = 0`,
      onDoubt: () => this.doubt(),
    });
    if (this.#isInDoubt) throw new StorageError('the standby may not have the last commits');
  }
}
