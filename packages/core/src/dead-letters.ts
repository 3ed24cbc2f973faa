import type { Batch } from './batch.ts';
import type { Clock } from './clock.ts';
import type { Journal, JournalObserver } from './journal.ts';
import { MAX_EXCERPT_LENGTH } from './redaction.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of what it answered. */
  readonly excerpt: string;
}

/** What earlier lives left stays there: nothing of it is delivered. */
const NOBODY: JournalObserver = { recovered: () => {}, damaged: () => {}, failed: () => {} };

/** Keeps events that the service refused for good, in a journal of their own, each with the reason. */
export class DeadLetters {
  readonly #createJournal: () => Journal;
  readonly #clock: Clock;
  #journal: Journal | undefined;
  #keeping: Promise<unknown> = Promise.resolve();

  /** @param createJournal Called with the first dead letter: most trackers never have one. */
  constructor(createJournal: () => Journal, clock: Clock) {
    this.#createJournal = createJournal;
    this.#clock = clock;
  }

  /** Keeps the one event of a batch. Rejects with a StorageError where that fails. */
  keep({ events }: Batch, { status, excerpt }: Refusal): Promise<void> {
    const reason = {
      at: new Date(this.#clock.now()).toISOString(),
      status,
      excerpt: excerpt.slice(0, MAX_EXCERPT_LENGTH),
    };
    // The event's bytes stay as they are: a replay sends what was tracked.
    const head = new TextEncoder().encode(`${JSON.stringify(reason).slice(0, -1)},"event":`);
    const letter = new Uint8Array(head.length + events.bytes.length + 1);
    letter.set(head);
    letter.set(events.bytes, head.length);
    letter[letter.length - 1] = '}'.charCodeAt(0);
    const kept = this.#keeping.then(() => this.#append(letter));
    this.#keeping = kept.catch(() => undefined);
    return kept;
  }

  async close(): Promise<void> {
    await this.#keeping;
    await this.#journal?.close();
  }

  async #append(letter: Uint8Array): Promise<void> {
    if (this.#journal === undefined) {
      const journal = this.#createJournal();
      await journal.open(NOBODY).catch(async (error: unknown) => {
        await journal.close();
        throw error;
      });
      this.#journal = journal;
    }
    await this.#journal.append({ bytes: letter, ends: Uint32Array.of(letter.length) });
    await this.#journal.sync();
  }
}
