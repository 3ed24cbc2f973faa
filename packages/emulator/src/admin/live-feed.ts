import { setMaxListeners } from 'node:events';
import { type Clock, sleep, systemClock } from '@sluice/protocol/toolbox';
import type { ArrivalRates } from '../events/rates.ts';
import { streamOf } from '../http/answers.ts';
import type { Status } from './contract.ts';

const TICK_MS = 250;

/**
 * Sends the state of the emulator to any number of pages, as server-sent events: the status when it has changed, at most every
 * 250 ms, and the rates of each second. Nothing is queued for a slow reader. It gets the newest state once it has read what was
 * sent to it.
 */
export class LiveFeed {
  readonly #status: () => Status;
  readonly #rates: ArrivalRates;
  readonly #clock: Clock;
  #end = new AbortController();

  constructor(status: () => Status, rates: ArrivalRates, clock: Clock = systemClock) {
    this.#status = status;
    this.#rates = rates;
    this.#clock = clock;
  }

  /** Opens a stream: it begins with the status and the rates of the last minutes. */
  open(): ReadableStream<Uint8Array> {
    setMaxListeners(0, this.#end.signal); // Node would warn from eleven pages on
    return streamOf(this.#texts(this.#end.signal));
  }

  /** Ends all streams. */
  end(): void {
    this.#end.abort();
    this.#end = new AbortController();
  }

  async *#texts(ended: AbortSignal): AsyncGenerator<string> {
    let told = '';
    let second = 0;
    let text = 'retry: 1000\n\n';
    while (!ended.aborted) {
      const status = JSON.stringify(this.#status());
      if (status !== told) text += `event: status\ndata: ${status}\n\n`;
      told = status;
      for (const each of this.#rates.since(second)) {
        text += `event: rates\ndata: ${JSON.stringify(each)}\n\n`;
        second = each.second;
      }
      if (text !== '') yield text;
      text = '';
      await sleep(this.#clock, TICK_MS, ended);
    }
  }
}
