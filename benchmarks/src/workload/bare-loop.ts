import { EVENTS_PATH, endpoint, joinEvents, requestHeaders } from '@sluice/protocol';
import { Agent } from 'undici';
import { bareEventText } from './bare-event.ts';
import type { SampleEvent } from './sample-event.ts';

const CONNECTIONS = 4;
const BATCH_EVENTS = 500;

/** What one would write by hand: an array that is posted whenever it is full. No journal, no retry, no bound. */
export class BareLoop {
  readonly #url: URL;
  readonly #headers = requestHeaders('bench-key');
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  readonly #batches: string[][] = [];
  #lanes: Promise<void>[] = [];
  #idle = CONNECTIONS;
  #batch: string[] = [];

  constructor(baseUrl: string) {
    this.#url = new URL(endpoint(baseUrl, EVENTS_PATH));
  }

  track(event: SampleEvent): void {
    this.#batch.push(bareEventText(event));
    if (this.#batch.length === BATCH_EVENTS) this.#endBatch();
  }

  /** Resolves once all is answered. */
  async flush(): Promise<void> {
    if (this.#batch.length > 0) this.#endBatch();
    await Promise.all(this.#lanes);
    this.#lanes = [];
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  #endBatch(): void {
    this.#batches.push(this.#batch);
    this.#batch = [];
    if (this.#idle > 0) this.#lanes.push(this.#post());
  }

  /** Posts what there is until nothing is left. */
  async #post(): Promise<void> {
    this.#idle -= 1;
    const { origin, pathname } = this.#url;
    const headers = this.#headers;
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      const body = joinEvents(batch);
      const answer = await this.#agent.request({ origin, path: pathname, method: 'POST', headers, body });
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
      await answer.body.dump();
    }
    this.#idle += 1;
  }
}
