import type { Clock, Timer } from '@sluice/core';
import { createRandom } from '../random.ts';
import { Agenda } from '../simulation/agenda.ts';

/** One virtual clock for many trackers, and for their service. */
export class SharedClock implements Clock {
  readonly #agenda: Agenda;

  constructor(seed: number) {
    this.#agenda = new Agenda(createRandom(seed));
  }

  now(): number {
    return Math.floor(this.#agenda.now);
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    return this.#agenda.add(delayMs, callback);
  }

  /** Advances the time to this moment, in milliseconds since 1970. */
  async passUntil(at: number): Promise<void> {
    let isOver = false;
    this.#agenda.add(at - this.#agenda.now, () => {
      isOver = true;
    });
    while (!isOver && this.#agenda.next()) await settled();
  }

  /** Advances the time until the promise has settled. */
  async passWith<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false;
    void promise.finally(() => {
      isOver = true;
    });
    await settled();
    while (!isOver && this.#agenda.next()) await settled();
    return promise;
  }
}

/** Resolves once all promises have settled that need no time to pass. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
