import { EVENTS_PATH, endpoint, joinEvents, requestHeaders } from '@sluice/protocol';
import { Agent } from 'undici';
import { bareEventText } from './bare-event.ts';
import { Lanes } from './lanes.ts';
import type { SampleEvent } from './sample-event.ts';

const CONNECTIONS = 4;
const BATCH_EVENTS = 500;

/** A loop as one would write it by hand: an array, posted in batches. No journal, no retry, no bound. */
export class BareLoop {
  readonly #url: URL;
  readonly #headers = requestHeaders('bench-key');
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  readonly #lanes = new Lanes<string[]>(CONNECTIONS, (batch) => this.#post(batch));
  readonly #postsAtOnce: boolean;
  #full: string[][] = [];
  #batch: string[] = [];

  /** @param options.postsAtOnce Whether a batch is posted as soon as it is full, instead of at flush(). */
  constructor(baseUrl: string, { postsAtOnce }: { readonly postsAtOnce: boolean }) {
    this.#url = new URL(endpoint(baseUrl, EVENTS_PATH));
    this.#postsAtOnce = postsAtOnce;
  }

  track(event: SampleEvent): void {
    this.#batch.push(bareEventText(event));
    if (this.#batch.length === BATCH_EVENTS) this.#endBatch();
  }

  /** Resolves once all requests are answered. */
  flush(): Promise<void> {
    if (this.#batch.length > 0) this.#endBatch();
    for (const batch of this.#full) this.#lanes.add(batch);
    this.#full = [];
    return this.#lanes.empty();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  #endBatch(): void {
    if (this.#postsAtOnce) this.#lanes.add(this.#batch);
    else this.#full.push(this.#batch);
    this.#batch = [];
  }

  async #post(batch: string[]): Promise<void> {
    const { origin, pathname: path } = this.#url;
    const options = {
      origin,
      path,
      method: 'POST',
      headers: this.#headers,
      body: joinEvents(batch),
    } as const;
    const answer = await this.#agent.request(options);
    if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    await answer.body.dump();
  }
}
