import { setImmediate } from 'node:timers/promises';
import { SluiceError } from '@sluice/protocol';
import type { Extent } from './indexer.ts';
import type { Questions, SearchEngine } from './search-engine.ts';
import type { Work } from './work.ts';

// Pause between two pieces of indexing, which take a few milliseconds each. In the pause, requests are served.
const PAUSE_MS = 10;

// A search works for this long. Then requests are served before it continues.
const TURN_MS = 10;

type Given<K extends keyof Questions> =
  Parameters<Questions[K]> extends [Extent, ...infer Rest] ? Rest : never;
type Answer<K extends keyof Questions> = ReturnType<Questions[K]> extends Work<infer T> ? T : never;

/** Searches the events while new ones arrive. It begins to index with the first search: without searches, it costs nothing. */
export class Search {
  readonly #makeEngine: () => SearchEngine;
  readonly #extent: () => Extent;
  readonly #now: () => number;
  #engine: SearchEngine | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `now`: a clock in milliseconds, for the length of turns. */
  constructor(
    makeEngine: () => SearchEngine,
    extent: () => Extent,
    now: () => number = () => performance.now(),
  ) {
    this.#makeEngine = makeEngine;
    this.#extent = extent;
    this.#now = now;
  }

  /** The id up to which events are in the search index. A search finds newer ones too, only slower. */
  get indexed(): number {
    return this.#engine?.indexed ?? 0;
  }

  /** Call it when events were added or removed. It costs very little. */
  changed(): void {
    const engine = this.#engine;
    if (engine === undefined || this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (engine.step(this.#extent())) this.changed();
    }, PAUSE_MS);
    this.#timer.unref();
  }

  async ask<K extends keyof Questions>(kind: K, given: Given<K>): Promise<Answer<K>> {
    this.#engine ??= this.#makeEngine();
    this.changed();
    const question = this.#engine.questions[kind] as (extent: Extent, ...given: unknown[]) => Work<Answer<K>>;
    return this.#inTurns(question(this.#extent(), ...given));
  }

  /** Ends the search. Pending questions are rejected. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #inTurns<T>(work: Work<T>): Promise<T> {
    for (;;) {
      const ends = this.#now() + TURN_MS;
      let piece = work.next();
      while (!piece.done && this.#now() < ends) piece = work.next();
      if (piece.done) return piece.value;
      await setImmediate();
      if (this.#isClosed)
        throw new SluiceError('SLUICE_CLOSED', 'The emulator was closed before the search ended.');
    }
  }
}
