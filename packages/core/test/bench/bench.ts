import { createTracker, type TestOptions } from '../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents, TrackerOptions } from '../../src/index.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { answered, ScriptedTransport, type SeenRequest } from './scripted-transport.ts';
import { SkewedClock } from './skewed-clock.ts';

type Delivery = NonNullable<TrackerOptions['delivery']>;
type BatchOptions = NonNullable<TrackerOptions['batch']>;

export interface BenchOptions extends Partial<Omit<TestOptions, 'delivery' | 'batch'>> {
  readonly delivery?: Delivery;
  readonly batch?: BatchOptions;
  readonly maxEvents?: number;
}

/** A whole tracker with a function as its service, and a clock that stands still. Its journal is in memory unless one is given. */
export class Bench {
  readonly clock = new VirtualClock();
  /** The clock that the tracker is given. */
  readonly time = new SkewedClock(this.clock);
  readonly transport = new ScriptedTransport(this.clock);
  readonly tracker: Tracker;
  /** Numbers of the events that the service took, in order. */
  readonly taken: number[] = [];
  readonly pauses: TrackerEvents['paused'][] = [];
  readonly states: TrackerEvents['breaker']['state'][] = [];
  readonly drops: TrackerEvents['dropped'][] = [];
  readonly deadLetters: TrackerEvents['deadLettered'][] = [];
  readonly attemptsFailed: TrackerEvents['requestFailed'][] = [];
  readonly storageFailures: unknown[] = [];
  readonly callbacksFailed: TrackerEvents['callbackFailed'][] = [];
  #next = 0;

  constructor({ delivery, batch, maxEvents = 500, journal = 'memory', ...options }: BenchOptions = {}) {
    this.tracker = createTracker({
      ...{ baseUrl: 'http://service.example', apiKey: 'key', correlationKey: 'email', journal },
      ...{ clock: this.time, transport: this.transport, random: () => 0.5, commitIntervalMs: 0 },
      // Not 0: a page writes events in pieces, and would send each piece at once.
      batch: { maxEvents, maxWaitMs: 1, ...batch },
      delivery: { maxConcurrency: 1, ...delivery },
      logger: false,
      ...options,
    });
    const { tracker } = this;
    tracker.on('paused', (pause) => this.pauses.push(pause));
    tracker.on('breaker', ({ state }) => this.states.push(state));
    tracker.on('dropped', (drop) => this.drops.push(drop));
    tracker.on('deadLettered', (refusal) => this.deadLetters.push(refusal));
    tracker.on('requestFailed', (attempt) => this.attemptsFailed.push(attempt));
    tracker.on('storageFailed', ({ error }) => this.storageFailures.push(error));
    tracker.on('callbackFailed', (failure) => this.callbacksFailed.push(failure));
    this.answer(() => 200);
  }

  /** How the service answers each request, by the numbers of its events. It takes them if the status is below 300. */
  answer(respond: (numbers: number[], request: SeenRequest) => number | Outcome | Promise<Outcome>): void {
    this.transport.respond = async (request) => {
      const numbers = numbersOf(request);
      const given = await respond(numbers, request);
      const outcome = typeof given === 'number' ? answered(given) : given;
      if (outcome.kind === 'answered' && outcome.status < 300) this.taken.push(...numbers);
      return outcome;
    };
  }

  /** The service refuses requests with bad events. */
  refuse(isBad: (n: number) => boolean, status = 400): void {
    this.answer((numbers) => (numbers.some(isBad) ? status : 200));
  }

  /** Tracks new events, and lets a millisecond pass. */
  async track(count: number): Promise<void> {
    this.trackNow(count);
    await this.pass(1);
  }

  /**
   * Tracks new events. Lets no time pass.
   *
   * @param bytes Length of a text in each of them.
   */
  trackNow(
    count: number,
    { bytes, ...options }: { readonly priority?: 'high'; readonly bytes?: number } = {},
  ): void {
    const more = bytes === undefined ? {} : { text: 'x'.repeat(bytes) };
    for (let left = count; left > 0; left -= 1) {
      const payload = { n: this.#next, ...more };
      this.tracker.track('event', payload, { correlationValue: 'ada@example.com', ...options });
      this.#next += 1;
    }
  }

  async pass(ms: number, stepMs: number = Math.max(1, Math.ceil(ms / 50))): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(left, stepMs));
      await this.quiet();
    }
  }

  /** Lets the tracker run until it waits for time or for an answer. */
  async quiet(): Promise<void> {
    for (let calm = 0, before = -1; calm < 4; ) {
      await settle();
      // What `stats()` says would do as well, but tests spent most of their time in it.
      const now = this.requests + this.taken.length + this.deadLetters.length;
      calm = now === before ? calm + 1 : 0;
      before = now;
    }
    this.check();
  }

  /** Rule 4 of the design: accepted + recovered = delivered + deadLettered + dropped + pending. */
  check(): void {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const missing = accepted + recovered - delivered - deadLettered - lost - pending;
    // Not with expect(), which takes about as long as the stats: this runs after every step of a test.
    if (missing !== 0) throw new Error(`the books do not balance: ${missing} events are missing`);
  }

  /** Numbers of the events that are kept as dead letters. */
  async kept(): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { event } of this.tracker.deadLetters.list()) numbers.push(numberOf(event));
    return numbers;
  }

  get requests(): number {
    return this.transport.requests.length;
  }

  /** When each request was made, in milliseconds since the first one. */
  get times(): number[] {
    const { times } = this.transport;
    return times.map((at) => at - (times[0] ?? 0));
  }
}

/** The numbers of the events in a request. */
export function numbersOf({ events }: Pick<SeenRequest, 'events'>): number[] {
  return events.map(numberOf);
}

/** The number of an event. */
export function numberOf(event: unknown): number {
  return Number(Reflect.get(Object(Reflect.get(Object(event), 'payload')), 'n'));
}

/** Texts of events with these numbers, as a journal holds them. */
export function textsOf(numbers: readonly number[]): string[] {
  return numbers.map((n) => JSON.stringify({ event: 'event', payload: { n } }));
}

/** The numbers of events in a journal. */
export function textNumbers(texts: readonly string[]): number[] {
  return texts.map((text) => numberOf(JSON.parse(text)));
}

/** The numbers of the events of each append. */
export function groupsOf({ groups }: { readonly groups: readonly (readonly string[])[] }): number[][] {
  return groups.map(textNumbers);
}

/** The state of a promise, as it changes. */
export interface Watched<Value> {
  value?: Value;
  error?: unknown;
  isOver: boolean;
}

/** Watches a promise without waiting for it. */
export function watch<Value>(promise: Promise<Value>): Watched<Value> {
  const seen: Watched<Value> = { isOver: false };
  promise.then(
    (value) => Object.assign(seen, { value, isOver: true }),
    (error) => Object.assign(seen, { error, isOver: true }),
  );
  return seen;
}

/** The numbers `from` (inclusive) to `to` (exclusive). */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Numbers in ascending order. */
export function sorted(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}
