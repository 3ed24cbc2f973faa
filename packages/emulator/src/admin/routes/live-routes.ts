import type { ArrivalRates } from '../../events/rates.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import type { Status } from '../contract.ts';

const TICK_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const RETRY = 'retry: 1000\n\n';

const ENCODER = new TextEncoder();

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // The connection ends with the stream. So an emulator that closes does not wait for it.
  connection: 'close',
};

/** Adds the live feed: server-sent events, `status` and `rates` of the contract. */
export function addLiveRoutes(routes: AdminRoutes, feed: LiveFeed): void {
  routes.add('/live', {
    GET: ({ req }) => new Response(req.method === 'HEAD' ? null : feed.open(), { headers: HEADERS }),
  });
}

/**
 * Sends the state of the emulator to any number of pages: the status when it has changed, at most every 250 ms, and the rates of
 * each second. Nothing is queued for a slow reader. It gets the newest state once it has read what was sent to it.
 */
export class LiveFeed {
  readonly #status: () => Status;
  readonly #rates: ArrivalRates;
  readonly #now: () => number;
  readonly #readers = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;

  /** `now` returns milliseconds since 1970. */
  constructor(status: () => Status, rates: ArrivalRates, now: () => number = Date.now) {
    this.#status = status;
    this.#rates = rates;
    this.#now = now;
  }

  /** Number of pages that listen. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Opens a stream: it begins with the status and the rates of the last minutes. */
  open(): ReadableStream<Uint8Array> {
    let reader: Reader | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        reader = new Reader(controller);
        reader.tell(this.#statusText(), this.#rates, this.#now());
        this.#readers.add(reader);
        this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref();
      },
      cancel: () => this.#leave(reader),
    });
  }

  /** Sends to every reader what is new. */
  tick(): void {
    const status = this.#statusText();
    const now = this.#now();
    for (const reader of this.#readers) reader.tell(status, this.#rates, now);
  }

  /** Ends all streams. */
  end(): void {
    for (const reader of this.#readers) {
      reader.end();
      this.#leave(reader);
    }
  }

  #statusText(): string {
    return JSON.stringify(this.#status());
  }

  #leave(reader: Reader | undefined): void {
    if (reader !== undefined) this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** One page that listens, and what was last sent to it. */
class Reader {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  #status = '';
  #second = 0;
  #toldAt = 0;

  constructor(controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#controller = controller;
  }

  tell(status: string, rates: ArrivalRates, now: number): void {
    if ((this.#controller.desiredSize ?? 0) <= 0) return; // it has not read the last message yet
    let text = this.#toldAt === 0 ? RETRY : '';
    if (status !== this.#status) text += message('status', status);
    this.#status = status;
    for (const each of rates.since(this.#second)) {
      text += message('rates', JSON.stringify(each));
      this.#second = each.second;
    }
    if (text === '' && now - this.#toldAt >= KEEP_ALIVE_MS) text = ': still here\n\n';
    if (text === '') return;
    this.#toldAt = now;
    this.#controller.enqueue(ENCODER.encode(text));
  }

  end(): void {
    this.#controller.close();
  }
}

function message(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
