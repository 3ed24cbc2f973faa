import { setImmediate } from 'node:timers/promises';
import type { Extent } from './indexer.ts';
import { ended, type Questions, type Search } from './search.ts';
import type { SearchEngine } from './search-engine.ts';
import type { Work } from './work.ts';

// Pause between two pieces of indexing, which take a few milliseconds each. In the pause, requests are served.
const PAUSE_MS = 10;

// A search works for this long. Then requests are served before it continues.
const TURN_MS = 10;

/** How many events are indexed in one piece of work. */
export const INLINE_AT_ONCE = 500;

/**
 * Searches on the thread that receives the events. It begins to index with the first search: without searches, it costs nothing.
 */
export class InlineSearch implements Search {
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

  get indexed(): number {
    return this.#engine?.indexed ?? 0;
  }

  changed(): void {
    const engine = this.#engine;
    if (engine === undefined || this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (engine.step(this.#extent(), false)) this.changed();
    }, PAUSE_MS);
    this.#timer.unref();
  }

  async ask<K extends keyof Questions>(
    kind: K,
    given: Questions[K]['given'],
  ): Promise<Questions[K]['answer']> {
    this.#engine ??= this.#makeEngine();
    this.changed();
    return this.#inTurns(this.#engine.ask(kind, given, this.#extent()));
  }

  async close(): Promise<void> {
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
      if (this.#isClosed) throw ended();
    }
  }
}
