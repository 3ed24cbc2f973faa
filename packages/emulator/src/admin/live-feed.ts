import type { ArrivalRates } from '../events/rates.ts';
import type { Status } from './contract.ts';

const TICK_MS = 250;
const KEEP_ALIVE_MS = 15_000;
const RETRY = 'retry: 1000\n\n';
const ENCODER = new TextEncoder();

type Reader = ReadableStreamDefaultController<Uint8Array>;

/**
 * Sends the state of the emulator to any number of pages, as server-sent events: the status when it has changed, at most every
 * 250 ms, and the rates of each second. Nothing is queued for a slow reader. It gets the newest state once it has read what was
 * sent to it.
 */
export class LiveFeed {
  readonly #status: () => Status;
  readonly #rates: ArrivalRates;
  readonly #now: () => number;
  /** The pages that listen, and what tells each of them. */
  readonly #readers = new Map<Reader, () => void>();
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
        reader = controller;
        const tell = this.#teller(controller);
        tell();
        this.#readers.set(controller, tell);
        this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref();
      },
      cancel: () => this.#leave(reader),
    });
  }

  /** Sends to every reader what is new. */
  tick(): void {
    for (const tell of this.#readers.values()) tell();
  }

  /** Ends all streams. */
  end(): void {
    for (const reader of this.#readers.keys()) {
      reader.close();
      this.#leave(reader);
    }
  }

  /** Returns a function that sends to one reader what it was not told yet. */
  #teller(controller: Reader): () => void {
    let told = '';
    let second = 0;
    let toldAt = 0;
    return () => {
      if ((controller.desiredSize ?? 0) <= 0) return; // it has not read the last message yet
      const status = JSON.stringify(this.#status());
      let text = toldAt === 0 ? RETRY : '';
      if (status !== told) text += message('status', status);
      told = status;
      for (const each of this.#rates.since(second)) {
        text += message('rates', JSON.stringify(each));
        second = each.second;
      }
      if (text === '' && this.#now() - toldAt >= KEEP_ALIVE_MS) text = ': still here\n\n';
      if (text === '') return;
      toldAt = this.#now();
      controller.enqueue(ENCODER.encode(text));
    };
  }

  #leave(reader: Reader | undefined): void {
    if (reader !== undefined) this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function message(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
