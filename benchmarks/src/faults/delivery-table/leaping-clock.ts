import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { StillClock } from '../still-clock.ts';

/** Idle turns of the event loop before the time leaps. */
const IDLE_TURNS = 5;
const STARTS = 'undici:request:create';
const ENDS = ['undici:request:trailers', 'undici:request:error'];

/** A clock that stands still while a request is pending, and otherwise leaps to the next timer: an hour passes at once. */
export class LeapingClock extends StillClock implements Disposable {
  readonly #underWay = new Set<unknown>();
  #idleTurns = 0;
  #turn: NodeJS.Immediate;
  readonly #start: ChannelListener = (message) => void this.#underWay.add(requestOf(message));
  readonly #end: ChannelListener = (message) => void this.#underWay.delete(requestOf(message));

  constructor() {
    super();
    subscribe(STARTS, this.#start);
    for (const name of ENDS) subscribe(name, this.#end);
    this.#turn = setImmediate(() => this.#look());
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
    this.leap();
  }
}

function requestOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'request' in message ? message.request : message;
}
