import type { Clock } from '@sluice/protocol/toolbox';
import type { Outcome, Transport, TransportRequest } from '../../src/send/http/transport.ts';

/** A request, as the service sees it. */
export interface Seen {
  /** Number of the request, from 0. */
  readonly index: number;
  /** Numbers of the events in its body. */
  readonly events: readonly number[];
  readonly bytes: number;
  /** Seconds since the start. */
  readonly at: number;
  /** Pending requests, with this one. */
  readonly underWay: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly retryAfter?: string;
  /** Default: 50. */
  readonly latencyMs?: number;
}

/** Answers a request; a number is a status. A service that works takes the events of a request at the moment of its answer. */
export type Service = (request: Seen) => Answer | number | 'never';

/** A request and what came of it. */
export interface Made {
  readonly at: number;
  readonly events: readonly number[];
  readonly underWay: number;
  /** 0 until there is an answer. */
  status: number;
  endedAt: number;
}

const LATENCY_MS = 50;

/** Posts to a service that is a function. Its answers come after their latency, on the clock of the test. */
export class ServiceTransport implements Transport {
  readonly requests: Made[] = [];
  readonly #clock: Clock;
  readonly #start: number;
  readonly #service: Service;
  readonly #onTaken: (events: readonly number[]) => void;
  #underWay = 0;

  /** @param onTaken Called with the numbers of events when the service takes them. */
  constructor(clock: Clock, service: Service, onTaken: (events: readonly number[]) => void) {
    this.#clock = clock;
    this.#start = clock.now();
    this.#service = service;
    this.#onTaken = onTaken;
  }

  post({ body, headers, signal, timeouts, url }: TransportRequest): Promise<Outcome> {
    const clock = this.#clock;
    const now = clock.now();
    const events = numbersIn(body);
    this.#underWay += 1;
    const made: Made = { at: now, events, underWay: this.#underWay, status: 0, endedAt: Number.NaN };
    const index = this.requests.push(made) - 1;
    const at = (now - this.#start) / 1_000;
    const { pathname: path } = new URL(url);
    const bytes = body.length;
    const given = this.#service({ index, events, bytes, at, underWay: this.#underWay, path, headers });
    const answer = typeof given === 'number' ? { status: given } : given;
    return new Promise((resolve) => {
      let isOver = false;
      const end = (outcome: Outcome) => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        signal.removeEventListener('abort', abort);
        this.#underWay -= 1;
        made.endedAt = clock.now();
        resolve(outcome);
      };
      const abort = () => end({ kind: 'failed', cause: new Error('aborted'), maybeSent: true });
      const limitMs = Math.min(timeouts.headersMs, timeouts.totalMs);
      const onTimeout = () => end({ kind: 'failed', cause: new Error('no answer in time'), maybeSent: true });
      const timer = clock.setTimeout(onTimeout, limitMs);
      signal.addEventListener('abort', abort);
      if (answer === 'never') return;
      clock.setTimeout(() => {
        const { status, body: words = '', retryAfter } = answer;
        if (status < 300) this.#onTaken(events);
        if (!isOver) made.status = status;
        // The time of the answer, as each HTTP service gives it.
        const date = new Date(clock.now()).toUTCString();
        end({ kind: 'answered', status, retryAfter, body: words, ...{ date } });
      }, answer.latencyMs ?? LATENCY_MS);
    });
  }

  async close(): Promise<void> {}
}

/** The numbers of the events in a body. Many bodies are read, and each event has one number: no need to parse all of it. */
function numbersIn(body: Uint8Array): number[] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const name = '"n":';
  const numbers: number[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const from = at + name.length;
    numbers.push(Number.parseInt(text.slice(from, from + 9), 10));
  }
  return numbers;
}

/** A generator of numbers from 0 (inclusive) to 1 (exclusive). Equal seeds give equal numbers. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A service that takes everything. */
export const healthy: Service = () => 200;

/** A service that answers so if a request contains such an event. */
export function refusing(isCulprit: (event: number) => boolean, answer: Answer): Service {
  return ({ events }) => (events.some(isCulprit) ? answer : 200);
}

/** A service that answers so, by chance, to this share of the requests. */
export function stray(share: number, answer: Answer | 'never', seed = 1): Service {
  const random = randomOf(seed);
  return () => (random() < share ? answer : 200);
}

/** Several nodes behind a load balancer that gives each the next request. The first one answers so to all. */
export function nodes(count: number, broken: Answer): Service {
  return ({ index }) => (index % count === 0 ? broken : 200);
}

/** Limits a service to this many events a second, failed ones included. What is above waits for its turn. */
export function bearing(perSecond: number, service: Service): Service {
  let freeAt = 0;
  return (request) => {
    freeAt = Math.max(freeAt, request.at) + request.events.length / perSecond;
    const given = service(request);
    if (given === 'never') return given;
    const answer = typeof given === 'number' ? { status: given } : given;
    return { ...answer, latencyMs: (answer.latencyMs ?? LATENCY_MS) + (freeAt - request.at) * 1_000 };
  };
}

/** A token bucket: this many requests a second, and as many at once. Undefined if a request is within the limit. */
export function bucket(perSecond: number): (at: number) => boolean {
  let tokens = perSecond;
  let last = 0;
  return (at) => {
    tokens = Math.min(perSecond, tokens + (at - last) * perSecond);
    last = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
