import { EVENTS_PATH, endpoint, joinEvents, requestHeaders } from '@sluice/protocol';
import { Agent } from 'undici';
import { bareEventText } from './bare-event.ts';
import type { SampleEvent } from './sample-event.ts';

const CONNECTIONS = 4;
const BATCH_EVENTS = 500;
const MAX_WAIT_MS = 1_000;

/** A loop as one would write it for a server: an array, posted once it holds 500 events, or after a second. */
export class PacedLoop {
  readonly #url: string;
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  readonly #posts = new Set<Promise<void>>();
  #batch: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(baseUrl: string) {
    this.#url = endpoint(baseUrl, EVENTS_PATH);
  }

  track(event: SampleEvent): void {
    this.#batch.push(bareEventText(event));
    if (this.#batch.length === BATCH_EVENTS) this.#endBatch();
    else this.#timer ??= setTimeout(() => this.#endBatch(), MAX_WAIT_MS);
  }

  /** Resolves once all requests are answered. */
  async flush(): Promise<void> {
    if (this.#batch.length > 0) this.#endBatch();
    await Promise.all(this.#posts);
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  #endBatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const post = this.#post(joinEvents(this.#batch));
    this.#posts.add(post);
    void post.finally(() => this.#posts.delete(post));
    this.#batch = [];
  }

  async #post(body: string): Promise<void> {
    const { origin, pathname } = new URL(this.#url);
    const headers = requestHeaders('bench-key');
    const answer = await this.#agent.request({ origin, path: pathname, method: 'POST', headers, body });
    if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    await answer.body.dump();
  }
}
