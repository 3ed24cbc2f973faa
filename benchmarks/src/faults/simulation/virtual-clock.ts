import type { Clock, Timer } from '@sluice/core';
import type { Agenda } from './agenda.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** Far more waits than a tracker needs to end. */
const MOST_LAST_WAITS = 100;

/**
 * The clock of one process. The timers of a dead process never fire, except those that somebody awaits (`keepAlive`): these fire
 * at once, so that its tracker can be closed and freed. At that time, the tracker can have no effect any more.
 */
export class VirtualClock implements Clock {
  readonly #agenda: Agenda;
  readonly #process: VirtualProcess;
  readonly #awaited = new Set<() => void>();
  #lastWaits = 0;

  constructor(agenda: Agenda, process: VirtualProcess) {
    this.#agenda = agenda;
    this.#process = process;
    process.onEnd(() => {
      for (const callback of this.#awaited) queueMicrotask(callback);
      this.#awaited.clear();
    });
  }

  now(): number {
    return Math.floor(this.#agenda.now);
  }

  setTimeout(callback: () => void, delayMs: number, keepAlive = false): Timer {
    let isCancelled = false;
    const fire = () => {
      this.#awaited.delete(fire);
      if (!isCancelled) callback();
    };
    if (this.#process.isDead) {
      this.#lastWaits += 1;
      if (keepAlive && this.#lastWaits <= MOST_LAST_WAITS) queueMicrotask(fire);
      return { cancel: () => undefined };
    }
    if (keepAlive) this.#awaited.add(fire);
    const appointment = this.#agenda.add(delayMs, () => this.#process.deliver(fire));
    return {
      cancel: () => {
        isCancelled = true;
        this.#awaited.delete(fire);
        appointment.cancel();
      },
    };
  }
}
