import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventIdsIn } from './event-ids.ts';

const POLL_MS = 50;
/** Contains the success field that each SDK expects. */
const REPLY = JSON.stringify({ ok: true, success: true, status: 1, code: 200 });

/** How long to wait for events. */
export interface Patience {
  /** If no event arrives within this time from the start, no event will come. */
  readonly firstMs: number;
  /** After the first event: if no new event arrives for this long, no more will come. */
  readonly quietMs: number;
  /** Upper limit of the whole wait. */
  readonly mostMs: number;
  /** Extra wait for repeats, once all events have arrived. */
  readonly repeatMs: number;
}

/** The service that every SDK sends to. Counts events by id. While it is down, it resets each connection at once. */
export class Collector implements AsyncDisposable {
  readonly #deliveries = new Map<string, number>();
  readonly #server: Server;
  #isUp = false;
  #lastNewAt = 0;

  private constructor() {
    this.#server = createServer((request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      if (!this.#isUp) socket.resetAndDestroy();
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the collector does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  goUp(): void {
    this.#isUp = true;
  }

  goDown(): void {
    this.#isUp = false;
    this.#server.closeAllConnections();
  }

  /** How many events with this prefix arrived, and how many of them arrived more than once. */
  count(prefix: string): { readonly delivered: number; readonly twice: number } {
    const times = [...this.#deliveries]
      .filter(([id]) => id.startsWith(`${prefix}-`))
      .map(([, count]) => count);
    return { delivered: times.length, twice: times.filter((count) => count > 1).length };
  }

  /**
   * Resolves to true once this many events with the prefix have arrived, or no more are expected. Resolves to false if events
   * still arrived at the time limit.
   */
  async settle(
    prefix: string,
    events: number,
    { firstMs, quietMs, mostMs, repeatMs }: Patience,
  ): Promise<boolean> {
    const start = Date.now();
    this.#lastNewAt = start;
    while (Date.now() < start + mostMs) {
      const { delivered } = this.count(prefix);
      if (Date.now() > this.#lastNewAt + (delivered === 0 ? firstMs : quietMs)) return true;
      if (delivered >= events) {
        await sleep(repeatMs);
        return true;
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.#note(Buffer.concat(chunks));
      response.writeHead(200, headersFor(request)).end(request.method === 'OPTIONS' ? '' : REPLY);
    });
  }

  #note(body: Buffer): void {
    for (const id of eventIdsIn(body)) {
      const times = this.#deliveries.get(id) ?? 0;
      if (times === 0) this.#lastNewAt = Date.now();
      this.#deliveries.set(id, times + 1);
    }
  }
}

/** Allows every page to send every request. */
function headersFor({ headers }: IncomingMessage): Record<string, string> {
  return {
    'content-type': 'application/json',
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-allow-methods': 'GET, POST, PUT',
    'access-control-max-age': '600',
  };
}
