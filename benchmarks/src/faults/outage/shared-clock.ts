import type { Clock, Timer } from '@sluice/core';
import { createRandom } from '../random.ts';
import { Agenda } from '../simulation/agenda.ts';

/** One virtual time for many trackers, and for the service that they reach. */
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

  /** Lets time pass up to a moment, in milliseconds since 1970. */
  async passUntil(at: number): Promise<void> {
    let isOver = false;
    this.#agenda.add(at - this.#agenda.now, () => {
      isOver = true;
    });
    while (!isOver && this.#agenda.next()) await settled();
  }

  /** Lets time pass until a promise has settled. */
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

/** Resolves once all promises have settled that wait for nothing to come. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
