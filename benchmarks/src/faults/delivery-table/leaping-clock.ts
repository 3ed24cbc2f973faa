import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock, Timer } from '@sluice/core';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** Turns of the event loop in which nothing goes on before time leaps. */
const IDLE_TURNS = 5;
const STARTS = 'undici:request:create';
const ENDS = ['undici:request:trailers', 'undici:request:error'];

/** A clock that stands still while a request is under way, and else leaps to the next timer: an hour passes in no time. */
export class LeapingClock implements Clock, Disposable {
  #now = Date.now();
  readonly #timers = new Set<Entry>();
  readonly #underWay = new Set<unknown>();
  #idleTurns = 0;
  #turn: NodeJS.Immediate;
  readonly #start: ChannelListener = (message) => void this.#underWay.add(requestOf(message));
  readonly #end: ChannelListener = (message) => void this.#underWay.delete(requestOf(message));

  constructor() {
    subscribe(STARTS, this.#start);
    for (const name of ENDS) subscribe(name, this.#end);
    this.#turn = setImmediate(() => this.#look());
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.add(entry);
    return { cancel: () => void this.#timers.delete(entry) };
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#turn);
    unsubscribe(STARTS, this.#start);
    for (const name of ENDS) unsubscribe(name, this.#end);
  }

  #look(): void {
    this.#turn = setImmediate(() => this.#look());
    this.#idleTurns = this.#underWay.size > 0 ? 0 : this.#idleTurns + 1;
    if (this.#idleTurns < IDLE_TURNS) return;
    this.#idleTurns = 0;
    const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
  }
}

function requestOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'request' in message ? message.request : message;
}
