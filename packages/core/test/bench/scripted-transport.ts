import type { Clock } from '@sluice/protocol/toolbox';
import type { Outcome, Transport, TransportRequest } from '../../src/send/http/transport.ts';

/** A request, as the service sees it. */
export interface SeenRequest extends TransportRequest {
  /** When it was posted, in milliseconds since the transport was made. */
  readonly at: number;
  /** The body as text. */
  readonly text: string;
  /** The events in it, parsed. */
  readonly events: readonly unknown[];
}

/** More than any test needs. After this many requests, no more are answered, which stops a sender in an endless loop. */
const MOST_REQUESTS = 5_000;

/** A transport with a function of the test as its service. */
export class ScriptedTransport implements Transport {
  readonly requests: SeenRequest[] = [];
  /** The service: returns its answer to a request. */
  respond: (request: SeenRequest) => Outcome | Promise<Outcome> = () => answered(200);
  /** Pending requests, and the most that were ever pending at once. */
  open = 0;
  mostOpen = 0;
  readonly #clock: Clock;
  readonly #start: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** When each request was posted, in milliseconds since the transport was made. */
  get times(): number[] {
    return this.requests.map(({ at }) => at);
  }

  async post(request: TransportRequest): Promise<Outcome> {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(request.body);
    const { batch } = JSON.parse(text);
    const seen = { ...request, at: this.#clock.now() - this.#start, text, events: batch };
    this.requests.push(seen);
    if (this.requests.length > MOST_REQUESTS) return hang(request);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    try {
      return await this.respond(seen);
    } finally {
      this.open -= 1;
    }
  }

  async close(): Promise<void> {}
}

/** An answer. */
export function answered(
  status: number,
  more: { retryAfter?: string; body?: string; date?: string } = {},
): Outcome {
  return { kind: 'answered', status, retryAfter: more.retryAfter, date: more.date, body: more.body ?? '' };
}

/** A failure without an answer. */
export function failed(maybeSent: boolean, cause: unknown = new Error('no connection')): Outcome {
  return { kind: 'failed', cause, maybeSent };
}

/** A service that never answers: the request ends when it is aborted. */
export function hang({ signal }: Pick<TransportRequest, 'signal'>): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = () => resolve(failed(true, new Error('aborted')));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
