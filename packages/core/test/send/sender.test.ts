import { type DeliveryError, redactedError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { Gate } from '../../src/pace/gate.ts';
import { SizeLimit } from '../../src/pace/size-limit.ts';
import { Verdicts } from '../../src/pace/verdicts.ts';
import { DeadLetterStore } from '../../src/parts/dead-letters/dead-letter-store.ts';
import { GuardedTransport } from '../../src/parts/guard/guarded-transport.ts';
import type { Classify } from '../../src/parts/rejected-indexes.ts';
import { rejectedIndexes } from '../../src/parts/rejected-indexes.ts';
import type { DeliveryPolicy } from '../../src/send/delivery-policy.ts';
import { Evidence } from '../../src/send/evidence.ts';
import { Letterbox } from '../../src/send/letterbox.ts';
import { Requests } from '../../src/send/requests.ts';
import { Sender } from '../../src/send/sender.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import type { BreakerState, Pause } from '../../src/tell/stats.ts';
import { Backlog } from '../../src/wait/backlog.ts';
import { Batcher } from '../../src/wait/batcher.ts';
import { UnderWay } from '../../src/wait/under-way.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { answered, failed, hang, ScriptedTransport, type SeenRequest } from '../bench/scripted-transport.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

const KEY = 'canary-key-5f1d';
const URL_OF_EVENTS = 'https://example.com/api/events/batch/';
const SECOND = 1_000;
const TIMEOUTS = { connectMs: 10 * SECOND, headersMs: 30 * SECOND, bodyMs: 5 * SECOND, totalMs: 60 * SECOND };
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface BenchOptions {
  readonly concurrency?: number;
  readonly maxEvents?: number;
  /** Default: each wait is as long as its limit allows. */
  readonly random?: () => number;
  readonly apiKey?: string | undefined;
  readonly maxAgeMs?: number;
  readonly isStrict?: boolean;
  readonly policy?: DeliveryPolicy;
  readonly classify?: Classify;
  /** Default: retries are not limited. */
  readonly retriesPerSuccess?: number;
}

/** A sender with all its parts, a function as its service, and a clock that stands still. */
class Bench {
  readonly clock = new VirtualClock();
  readonly books = new Books();
  readonly backlog = new Backlog({ maxEvents: 100_000, maxBytes: 10_000_000 }, textWriter);
  readonly journal = new FakeJournal({ maxEvents: 100_000, maxBytes: 10_000_000 });
  readonly letters = new FakeJournal();
  readonly transport = new ScriptedTransport(this.clock);
  readonly states: BreakerState[] = [];
  readonly errors: DeliveryError[] = [];
  readonly storageErrors: unknown[] = [];
  readonly refusals: { readonly status: number; readonly excerpt: string }[] = [];
  readonly delivered: number[] = [];
  /** Numbers of the events that the service took, in order. Only services such as that of `refuse` record them. */
  readonly taken: number[] = [];
  /** Differences between the two sides of the stats, whenever there is one. */
  readonly imbalances: number[] = [];
  /** Whether the journal now takes events in flight that it has not taken before. */
  journalWorks = true;
  readonly batcher: Batcher;
  readonly sizeLimit = new SizeLimit(() => {});
  readonly rates: (number | undefined)[] = [];
  readonly pauses: Pause[] = [];
  resumed = 0;
  readonly gate: Gate;
  readonly requests: Requests;
  readonly underWay: UnderWay;
  readonly sender: Sender;
  #next = 0;

  constructor(options: BenchOptions = {}) {
    const { concurrency = 1, maxEvents = 500, random = () => 1 } = options;
    const { clock, backlog, journal, books, transport } = this;
    const wake = () => this.sender.wake();
    const reporter = new Reporter({ books, clock });
    reporter.on('dropped', () => this.check());
    reporter.on('delivered', ({ count }) => {
      this.delivered.push(count);
      this.check();
    });
    reporter.on('deadLettered', ({ status, excerpt }) => {
      this.refusals.push({ status, excerpt });
      this.check();
    });
    reporter.on('failedAttempt', ({ error }) => {
      this.errors.push(error);
      this.check();
    });
    reporter.on('storageFailed', ({ error }) => {
      this.storageErrors.push(error);
      this.check();
    });
    this.batcher = new Batcher({
      ...{ backlog, journal, clock, limit: { maxEvents, maxBytes: 512 * 1024 }, maxWaitMs: 0, onDue: wake },
      ...{ sizeLimit: this.sizeLimit, isStrict: options.isStrict ?? false },
      maxAgeMs: options.maxAgeMs,
      reporter,
    });
    reporter.on('breaker', ({ state }) => this.states.push(state));
    reporter.on('paused', (pause) => this.pauses.push(pause));
    reporter.on('rateLimit', ({ perSecond }) => this.rates.push(perSecond));
    reporter.on('resumed', () => {
      this.resumed += 1;
    });
    const isStrict = options.isStrict ?? false;
    const backoff = { baseMs: 500, maxMs: MINUTE };
    const { createAbortController, createQueue, registerSync } = platform;
    const abort = createAbortController();
    this.gate = new Gate({
      ...{ clock, random, concurrency, backoff, reporter },
      retriesPerSuccess: options.retriesPerSuccess ?? 1_000,
      onChange: wake,
    });
    this.requests = new Requests({
      ...{ url: URL_OF_EVENTS, apiKey: 'apiKey' in options ? options.apiKey : KEY, timeouts: TIMEOUTS },
      ...{ clock, signal: abort.signal },
      safeCause: (cause) => redactedError(cause, (text) => this.requests.redact(text)),
      transport: new GuardedTransport(transport, clock),
    });
    this.underWay = new UnderWay({
      ...{ backlog, createAbortController, journal },
      secure: (events) => (this.journalWorks ? journal.append(events) : Promise.resolve(undefined)),
    });
    this.sender = new Sender({
      ...{ clock, random, concurrency, backoff, isStrict, abort, isReady: () => true },
      ...{ createAbortController, createQueue, registerSync },
      lanes: {
        all: [
          {
            ...{ backlog, batcher: this.batcher, underWay: this.underWay },
            takeNow: (maxBytes) => this.batcher.takeNow(maxBytes),
          },
        ],
      },
      ...{ policy: options.policy ?? {}, journal, books },
      rejected: (batch, answer) => rejectedIndexes(batch, answer, options.classify ?? (() => []), () => {}),
      ...{
        gate: this.gate,
        requests: this.requests,
        sizeLimit: this.sizeLimit,
        verdicts: new Verdicts(),
        evidence: new Evidence(random),
        letterbox: new Letterbox(clock),
      },
      letters: new DeadLetterStore({
        clock: new VirtualClock(),
        ...{ maxBytes: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY },
        ...{ createJournal: () => this.letters, mayHold: async () => true, page: journal.groupLimit },
        reporter,
      }),
      reporter,
    });
  }

  /** Numbers of the events that are kept as dead letters. */
  get kept(): number[] {
    return this.letters.texts.map((text) => JSON.parse(text).event.n);
  }

  /** Rule 4 of the design: accepted + recovered = delivered + deadLettered + dropped + pending. */
  check(): void {
    const { accepted, recovered, delivered, deadLettered, droppedTotal } = this.books;
    const difference = accepted + recovered - delivered - deadLettered - droppedTotal - this.backlog.pending;
    if (difference !== 0) this.imbalances.push(difference);
  }

  /** Accepts `count` new events, writes them to the journal, and wakes the sender. */
  async track(count: number): Promise<void> {
    const texts = range(this.#next, this.#next + count).map((n) => `{"n":${n}}`);
    this.#next += count;
    await this.trackTexts(texts);
  }

  async trackTexts(texts: readonly string[]): Promise<void> {
    for (const text of texts) this.backlog.push(text, this.clock.now());
    this.books.accepted += texts.length;
    const group = this.backlog.unwrittenGroup(this.journal.groupLimit);
    if (group !== undefined) this.backlog.markWritten(await this.journal.append(group));
    this.sender.wake();
  }

  /** Adds `count` events of an earlier process. Does not wake the sender. */
  async recover(count: number): Promise<void> {
    const texts = range(this.#next, this.#next + count).map((n) => `{"n":${n}}`);
    this.#next += count;
    this.backlog.addRecovered(await this.journal.append(toEventBytes(texts)));
    this.books.recovered += count;
  }

  /** As `track`. Then lets the sender do all that needs no time. */
  async send(count: number): Promise<void> {
    await this.track(count);
    await this.quiet();
  }

  /** Lets the sender run until it waits for time or for an answer. */
  async quiet(): Promise<void> {
    for (let calm = 0, before = -1; calm < 3; ) {
      await settle();
      this.check();
      const { delivered, deadLettered } = this.books;
      const now = this.transport.requests.length + delivered + deadLettered;
      calm = now === before ? calm + 1 : 0;
      before = now;
    }
  }

  /** Lets time pass in steps. After each, lets the sender run until it waits. */
  async pass(ms: number, stepMs: number = Math.max(1, Math.ceil(ms / 200))): Promise<void> {
    await this.quiet();
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      await this.clock.advance(Math.min(end - this.clock.now(), stepMs));
      await this.quiet();
    }
  }

  /** From now on the service refuses requests with bad events, and takes all others. */
  refuse(isBad: (n: number) => boolean, status: number | (() => number) = 400, body = ''): void {
    this.transport.respond = (request) => {
      const numbers = numbersOf(request);
      if (numbers.some(isBad)) return answered(typeof status === 'number' ? status : status(), { body });
      this.taken.push(...numbers);
      return answered(200);
    };
  }
}

function numbersOf({ events }: SeenRequest): number[] {
  return events.map((event) => Number(Reflect.get(Object(event), 'n')));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}

function sorted(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

describe('Sender', () => {
  it('posts what waits as one batch, to the service, with the key', async () => {
    const bench = new Bench();
    await bench.send(3);
    expect(bench.transport.requests).toHaveLength(1);
    expect(bench.transport.requests[0]).toMatchObject({
      url: URL_OF_EVENTS,
      headers: { authorization: `Api-Key ${KEY}`, 'content-type': 'application/json' },
      text: '{"batch":[{"n":0},{"n":1},{"n":2}]}',
      timeouts: TIMEOUTS,
    });
  });

  it('posts without a key where a relay holds it', async () => {
    const bench = new Bench({ apiKey: undefined });
    await bench.send(1);
    expect(bench.transport.requests[0]?.headers).toEqual({ 'content-type': 'application/json' });
    expect(bench.books.delivered).toBe(1);
  });

  it('posts nothing where nothing waits', async () => {
    const bench = new Bench();
    bench.sender.wake();
    await bench.quiet();
    expect(bench.transport.requests).toEqual([]);
    expect(bench.clock.timers).toBe(0);
  });

  it.each([
    [200, ''],
    [200, '{"ok":true}'],
    [201, 'not json'],
    [202, '{"cut sho'],
    [204, ''],
    [299, '\0'],
  ])('takes a %d for delivered, whatever the body (%j), and releases the events', async (status, body) => {
    const bench = new Bench();
    bench.transport.respond = () => answered(status, { body });
    await bench.send(3);
    expect(bench.books.delivered).toBe(3);
    expect(bench.delivered).toEqual([3]);
    expect(bench.backlog.pending).toBe(0);
    expect(bench.journal.acknowledged).toMatchObject([{ from: 0, to: 3 }]);
    expect(bench.journal.bytes).toBe(0);
    expect(bench.errors).toEqual([]);
    expect(bench.clock.timers).toBe(0);
  });

  it.each([1, 2, 4])(
    'makes at most %d requests at once, and needs no waking for the rest',
    async (concurrency) => {
      const bench = new Bench({ concurrency, maxEvents: 10 });
      const answers: (() => void)[] = [];
      bench.transport.respond = () =>
        new Promise((resolve) => {
          answers.push(() => resolve(answered(200)));
        });
      await bench.send(200);
      expect(bench.transport.open).toBe(concurrency);
      while (answers.length > 0) {
        answers.shift()?.();
        await bench.quiet();
      }
      expect(bench.transport.mostOpen).toBe(concurrency);
      expect(bench.transport.requests).toHaveLength(20);
      expect(bench.books.delivered).toBe(200);
      expect(bench.backlog.pending).toBe(0);
    },
  );

  it('releases nothing before the service has taken it', async () => {
    const bench = new Bench();
    bench.transport.respond = hang;
    await bench.send(3);
    expect(bench.journal.acknowledged).toEqual([]);
    expect(bench.books.delivered).toBe(0);
    expect(bench.backlog.inFlight).toBe(3);
  });

  it('keeps the bytes of an event from the ring to the service and to the dead letters', async () => {
    const bench = new Bench();
    const texts = ['{"n":0,"t":"é€😀\\ud800"}', '{"n":1.0,"t":1e400}'];
    bench.refuse((n) => n === 1);
    await bench.trackTexts(texts);
    await bench.quiet();
    expect(bench.transport.requests[0]?.text).toBe(`{"batch":[${texts.join(',')}]}`);
    expect(bench.letters.texts).toHaveLength(1);
    expect(bench.letters.texts[0]?.endsWith(`"event":${texts[1]}}`)).toBe(true);
  });

  it('delivers what no journal holds, and acknowledges nothing of it', async () => {
    const bench = new Bench();
    bench.backlog.push('{"n":1}', 0);
    bench.books.accepted += 1;
    bench.backlog.markMemoryOnly(1);
    bench.sender.wake();
    await bench.quiet();
    expect(bench.books.delivered).toBe(1);
    expect(bench.journal.calls).toEqual([]);
  });

  it('has its books in order at every moment, also when the last event is settled', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 4 });
    bench.refuse((n) => n % 7 === 0);
    await bench.track(20);
    const settled = bench.backlog.epochs.turn(new AbortController().signal).then(() => bench.check());
    await bench.quiet();
    await settled;
    expect([bench.books.delivered, bench.books.deadLettered]).toEqual([17, 3]);
    expect(bench.imbalances).toEqual([]);
  });

  it('sends nothing more than is sent at once before the journal has noted what was taken', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 1 });
    const release = bench.journal.hangAcknowledgements();
    await bench.send(9);
    // If the process is killed now, the next one sends these events again, and no others.
    expect(bench.transport.requests).toHaveLength(2);
    expect([bench.books.delivered, bench.backlog.inFlight]).toEqual([0, 2]);
    let isFlushed = false;
    void bench.backlog.epochs.turn(new AbortController().signal).then(() => {
      isFlushed = true;
    });
    await bench.quiet();
    expect(isFlushed).toBe(false);
    release();
    await bench.quiet();
    expect([bench.books.delivered, bench.backlog.inFlight]).toEqual([9, 0]);
    expect(isFlushed).toBe(true);
    expect(bench.imbalances).toEqual([]);
  });

  it('sends nothing meanwhile where order is strict', async () => {
    const bench = new Bench({ isStrict: true, maxEvents: 1 });
    const release = bench.journal.hangAcknowledgements();
    await bench.send(3);
    expect(bench.transport.requests).toHaveLength(1);
    release();
    await bench.quiet();
    expect(bench.books.delivered).toBe(3);
  });

  it('counts events as delivered where the journal cannot note it, and does not send them again', async () => {
    const bench = new Bench();
    bench.journal.failAcknowledgements = true;
    await bench.send(2);
    expect(bench.storageErrors).toHaveLength(1);
    expect(bench.books.delivered).toBe(2);
    expect(bench.backlog.pending).toBe(0);
    await bench.pass(2 * MINUTE);
    expect(bench.transport.requests).toHaveLength(1);
  });
});

describe('Sender, where the service cannot answer now', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 507, 599])(
    'sends the same bytes again on %d, later and later, until they are taken',
    async (status) => {
      const bench = new Bench();
      bench.transport.respond = () => answered(bench.transport.requests.length < 4 ? status : 200);
      await bench.send(3);
      await bench.pass(10 * SECOND);
      expect(bench.transport.times).toEqual([0, 500, 1_500, 3_500]);
      expect(new Set(bench.transport.requests.map(({ text }) => text)).size).toBe(1);
      // With these statuses, the service itself says that it did not take the events. With others, such as 502, it may have.
      const maybeDuplicate = [425, 429, 503].includes(status) ? 0 : 9;
      expect(bench.books).toMatchObject({ delivered: 3, deadLettered: 0, maybeDuplicate });
      expect(bench.errors.map((error) => error.status)).toEqual([status, status, status]);
      expect(bench.errors.every((error) => error.retryable)).toBe(true);
      expect(bench.clock.timers).toBe(0);
    },
  );

  it('does so where there is no connection, and counts no duplicates', async () => {
    const bench = new Bench();
    bench.transport.respond = () => (bench.transport.requests.length < 3 ? failed(false) : answered(200));
    await bench.send(3);
    await bench.pass(10 * SECOND);
    expect(bench.transport.times).toEqual([0, 500, 1_500]);
    expect(bench.books).toMatchObject({ delivered: 3, maybeDuplicate: 0 });
    expect(bench.errors[0]).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: true, status: undefined });
    expect(bench.errors[0]?.message).toContain('no connection');
  });

  it('counts events that the service may have got twice, with each time', async () => {
    const bench = new Bench();
    bench.transport.respond = () => (bench.transport.requests.length < 3 ? failed(true) : answered(200));
    await bench.send(3);
    await bench.pass(10 * SECOND);
    expect(new Set(bench.transport.requests.map(({ text }) => text)).size).toBe(1);
    expect(bench.books).toMatchObject({ delivered: 3, maybeDuplicate: 6 });
  });

  it('takes a transport that rejects or throws for a request that may have arrived', async () => {
    const bench = new Bench();
    bench.transport.post = () => Promise.reject(new Error('broken promise'));
    await bench.send(2);
    expect(bench.errors[0]?.message).toContain('broken promise');
    expect(bench.books.maybeDuplicate).toBe(2);
    bench.transport.post = () => {
      throw new Error('broken at once');
    };
    await bench.pass(600);
    expect(bench.errors[1]?.message).toContain('broken at once');
    expect(bench.backlog.pending).toBe(2);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a symbol', Symbol('cause')],
    ['an object that cannot be shown', Object.create(null)],
  ])('survives a cause that is no error: %s', async (_, cause) => {
    const bench = new Bench();
    bench.transport.respond = () =>
      bench.transport.requests.length < 2 ? { kind: 'failed', cause, maybeSent: false } : answered(200);
    await bench.send(1);
    await bench.pass(SECOND);
    expect(bench.errors).toHaveLength(1);
    expect(bench.books.delivered).toBe(1);
  });

  it('waits a random part of the bound, so that many do not come back together', async () => {
    const bench = new Bench({ random: () => 0.25 });
    bench.transport.respond = () => answered(bench.transport.requests.length < 4 ? 500 : 200);
    await bench.send(1);
    await bench.pass(10 * SECOND);
    expect(bench.transport.times).toEqual([0, 125, 375, 875]);
  });

  it('never gives up, asks about once a minute at the end, and loses nothing', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 10 });
    bench.transport.respond = () => answered(500);
    await bench.send(100);
    await bench.pass(4 * HOUR, MINUTE);
    const { times } = bench.transport;
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.5 * MINUTE);
    expect(Math.min(...waits.slice(20))).toBeGreaterThanOrEqual(MINUTE);
    expect(bench.books).toMatchObject({ delivered: 0, deadLettered: 0 });
    expect(bench.backlog.pending).toBe(100);
    bench.refuse(() => false);
    await bench.pass(2 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    expect(bench.backlog.pending).toBe(0);
    expect(bench.clock.timers).toBe(0);
  });

  it('opens the breaker at five failures in a row, and makes one request at a time from then on', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 1 });
    bench.transport.respond = () => answered(500);
    await bench.send(20);
    // The fifth failure may come while three other requests are pending.
    expect(bench.transport.requests.length).toBeLessThanOrEqual(5 + 3);
    expect(bench.states).toEqual(['open']);
    const before = bench.transport.requests.length;
    await bench.pass(30 * MINUTE, SECOND);
    const probes = bench.transport.times.slice(before);
    expect(probes.length).toBeGreaterThan(20);
    expect(new Set(probes).size).toBe(probes.length);
    expect(bench.backlog.inFlight).toBeLessThanOrEqual(5 + 3 + 1);
  });

  it('closes the breaker with the first success, and sends all that waits', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 1 });
    let isDown = true;
    bench.transport.respond = () => answered(isDown ? 503 : 200);
    await bench.send(20);
    await bench.pass(MINUTE);
    expect(bench.gate.state).not.toBe('closed');
    isDown = false;
    await bench.pass(2 * MINUTE);
    expect(bench.states.at(-1)).toBe('closed');
    expect(bench.books.delivered).toBe(20);
    expect(bench.clock.timers).toBe(0);
  });

  it('takes no more out of memory than it can send while the breaker is open', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 10 });
    bench.transport.respond = () => answered(401);
    await bench.send(10);
    await bench.send(1_000);
    await bench.pass(30 * MINUTE);
    // The first batch, when no other events waited, and the batch of the current probe.
    expect(bench.backlog.inFlight).toBeLessThanOrEqual(20);
  });

  it('counts the failures anew after a success', async () => {
    const bench = new Bench();
    bench.transport.respond = () => answered(bench.transport.requests.length % 5 === 0 ? 200 : 500);
    for (let count = 0; count < 3; count += 1) {
      await bench.send(1);
      await bench.pass(10 * SECOND);
    }
    expect(bench.books.delivered).toBe(3);
    expect(bench.states).toEqual([]);
  });
});

describe('Sender, where the service asks to be left alone', () => {
  it.each([429, 503])('waits the seconds that a %d asks for, and up to a fifth more', async (status) => {
    const waits = [];
    for (const random of [0, 0.5, 1]) {
      const bench = new Bench({ random: () => random });
      bench.transport.respond = () =>
        bench.transport.requests.length === 1 ? answered(status, { retryAfter: '30' }) : answered(200);
      await bench.send(1);
      await bench.pass(40 * SECOND);
      waits.push(bench.transport.times[1]);
      expect(bench.errors[0]?.retryAfterMs).toBe(30 * SECOND);
      expect(bench.books.delivered).toBe(1);
    }
    expect(waits).toEqual([30 * SECOND, 33 * SECOND, 36 * SECOND]);
  });

  it('waits until the date that it is given', async () => {
    const bench = new Bench({ random: () => 0 });
    const retryAfter = new Date(bench.clock.now() + 90 * SECOND).toUTCString();
    bench.transport.respond = () =>
      bench.transport.requests.length === 1 ? answered(429, { retryAfter }) : answered(200);
    await bench.send(1);
    await bench.pass(100 * SECOND);
    expect(bench.transport.times).toEqual([0, 90 * SECOND]);
  });

  it.each(['0', '-5', 'soon', '', '1.5', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'backs off as without it where it asks for what is past or no time: %j',
    async (retryAfter) => {
      const bench = new Bench();
      bench.transport.respond = () =>
        answered(bench.transport.requests.length < 3 ? 429 : 200, { retryAfter });
      await bench.send(1);
      await bench.pass(10 * SECOND);
      expect(bench.transport.times).toEqual([0, 500, 1_500]);
    },
  );

  it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'waits an hour at the most: %s',
    async (retryAfter) => {
      const bench = new Bench({ random: () => 0 });
      bench.transport.respond = () =>
        bench.transport.requests.length === 1 ? answered(503, { retryAfter }) : answered(200);
      await bench.send(1);
      await bench.pass(2 * HOUR);
      expect(bench.transport.times).toEqual([0, HOUR]);
    },
  );

  it('holds back all other batches too', async () => {
    const bench = new Bench({ concurrency: 4, random: () => 0 });
    bench.transport.respond = () =>
      bench.transport.requests.length === 1 ? answered(429, { retryAfter: '60' }) : answered(200);
    await bench.send(1);
    await bench.send(1);
    await bench.send(1);
    await bench.pass(MINUTE - 1);
    expect(bench.transport.requests).toHaveLength(1);
    await bench.pass(2);
    expect(bench.books.delivered).toBe(3);
  });

  it.each([
    ['a success', answered(200)],
    ['a failure', failed(true)],
    ['an error', answered(500)],
    ['a refusal', answered(400)],
    ['a shorter wait', answered(429, { retryAfter: '1' })],
  ])('does not let %s of a request that was under way cut the wait short', async (_, late) => {
    const bench = new Bench({ concurrency: 2, maxEvents: 1, random: () => 0.5 });
    let answerLate = (): void => {};
    bench.transport.respond = () => {
      if (bench.transport.requests.length === 1) {
        return new Promise((resolve) => {
          answerLate = () => resolve(late);
        });
      }
      return bench.transport.requests.length === 2 ? answered(429, { retryAfter: '60' }) : answered(200);
    };
    await bench.send(4);
    expect(bench.transport.requests).toHaveLength(2);
    answerLate();
    await bench.pass(MINUTE - 1);
    expect(bench.transport.requests).toHaveLength(2);
    await bench.pass(10 * SECOND);
    expect(bench.books.delivered).toBe(4);
  });
});

describe('Sender, where nothing is wrong with the events', () => {
  const KEY_PROBES = [0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105, 120, 135];
  const ADDRESS_PROBES = [0, 5, 15, 35, 75, 135];
  it.each([
    ...[401, 403].map((status) => ({ status, probes: KEY_PROBES, reason: 'unauthorized' })),
    ...[301, 302, 307, 308, 404, 405, 410].map((status) => ({
      ...{ status, probes: ADDRESS_PROBES, reason: 'misdirected' },
    })),
  ])('keeps them on $status, and asks again after minutes $probes', async ({ status, probes, reason }) => {
    const bench = new Bench({ maxEvents: 10, random: () => 0 });
    bench.transport.respond = () => answered(status);
    await bench.send(100);
    await bench.pass(136 * MINUTE);
    const minutes = bench.transport.times.map((at) => at / MINUTE);
    expect(minutes).toEqual(probes);
    expect(bench.pauses).toHaveLength(probes.length);
    expect(bench.gate.pause).toMatchObject({ reason, status });
    // Probes also send other batches: the answers may be about the events of one batch.
    const asked = new Set(bench.transport.requests.map(({ text }) => text));
    expect(asked.size).toBeGreaterThanOrEqual(Math.floor(probes.length / 2));
    expect(bench.books).toMatchObject({ delivered: 0, deadLettered: 0 });
    expect(bench.backlog.pending).toBe(100);
    expect(bench.errors[0]).toMatchObject({ status, retryable: true });
    bench.refuse(() => false);
    await bench.pass(60 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    expect([bench.resumed, bench.gate.pause]).toEqual([1, undefined]);
  });

  it('takes several such answers at once for one', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 10, random: () => 0 });
    const answers: (() => void)[] = [];
    bench.transport.respond = () =>
      new Promise((resolve) => {
        answers.push(() => resolve(answered(401)));
      });
    await bench.send(100);
    expect(answers).toHaveLength(4);
    bench.transport.respond = () => answered(401);
    for (const answer of answers) answer();
    await bench.pass(4 * MINUTE);
    expect(bench.transport.times.slice(4)).toEqual([MINUTE, 3 * MINUTE]);
  });

  it('begins with a minute again after the service worked', async () => {
    const bench = new Bench({ random: () => 0, maxEvents: 1 });
    bench.transport.respond = () => answered(401);
    await bench.send(1);
    await bench.pass(4 * MINUTE);
    bench.refuse(() => false);
    await bench.pass(4 * MINUTE);
    expect(bench.taken).toEqual([0]);
    bench.transport.respond = () => answered(401);
    const before = bench.transport.requests.length;
    // The service accepted other events: it takes several answers to show that the event is not the cause.
    await bench.send(5);
    await bench.pass(MINUTE);
    const times = bench.transport.times.slice(before).map((at) => at - (bench.transport.times[before] ?? 0));
    expect(times).toEqual([0, 0, 0, 0, 0, MINUTE]);
  });

  it('waits up to a fifth more, so that clients that were refused together do not come back together', async () => {
    const bench = new Bench({ random: () => 1 });
    bench.transport.respond = () => answered(401);
    await bench.send(1);
    await bench.pass(35 * MINUTE);
    expect(bench.transport.times.map((at) => at / MINUTE)).toEqual([0, 1.2, 3.6, 8.4, 18, 33]);
  });
});

describe('Sender, where events are refused', () => {
  it.each([400, 422, 409, 402, 418, 501])('finds the one at fault among 500 on %d', async (status) => {
    const bench = new Bench();
    bench.refuse((n) => n === 321, status);
    await bench.send(500);
    // Unusual statuses take some time.
    if ([402, 418, 501].includes(status)) expect(bench.kept).toEqual([]);
    await bench.pass(2 * MINUTE);
    expect(bench.kept).toEqual([321]);
    expect(bench.books).toMatchObject({ delivered: 499, deadLettered: 1 });
    expect(bench.backlog.pending).toBe(0);
    // Each good event once: if the service took a part, no event of it is sent again.
    expect(sorted(bench.taken)).toEqual(range(0, 500).filter((n) => n !== 321));
    // At most two for each halving of 500, and two for the event itself. To send one event after the other would take hundreds.
    expect(bench.transport.requests.length).toBeLessThanOrEqual(2 * 9 + 2);
    expect(bench.refusals).toEqual([{ status, excerpt: '' }]);
    expect(bench.journal.bytes).toBe(0);
    expect(bench.clock.timers).toBe(0);
    expect(bench.gate.state).toBe('closed');
  });

  it('finds three among 500', async () => {
    const bench = new Bench();
    const bad = [0, 250, 499];
    bench.refuse((n) => bad.includes(n));
    await bench.send(500);
    expect(sorted(bench.kept)).toEqual(bad);
    expect(sorted(bench.taken)).toEqual(range(0, 500).filter((n) => !bad.includes(n)));
    expect(bench.transport.requests.length).toBeLessThanOrEqual(3 * (2 * 9 + 2));
    expect(bench.backlog.pending).toBe(0);
  });

  it('finds twenty that lie side by side: few of a window of 500', async () => {
    const bench = new Bench();
    bench.refuse((n) => n >= 100 && n < 120);
    await bench.send(500);
    await bench.pass(HOUR);
    expect(sorted(bench.kept)).toEqual(range(100, 120));
    expect(sorted(bench.taken)).toEqual([...range(0, 100), ...range(120, 500)]);
    expect(bench.backlog.pending).toBe(0);
  });

  it('finds twenty that came one by one, each after nine that are taken', async () => {
    const bench = new Bench();
    bench.refuse((n) => n % 10 === 9);
    for (let round = 0; round < 200; round += 1) await bench.send(1);
    await bench.pass(HOUR);
    expect(bench.kept).toEqual(range(0, 200).filter((n) => n % 10 === 9));
    expect(bench.books).toMatchObject({ delivered: 180, deadLettered: 20 });
  });

  it('keeps an event that was refused twice, with what the service said', async () => {
    const bench = new Bench();
    bench.refuse(() => true, 422, '{"error":"no such email"}');
    await bench.send(1);
    expect(bench.transport.requests).toHaveLength(2);
    expect(bench.transport.requests[0]?.text).toBe(bench.transport.requests[1]?.text);
    expect(bench.letters.texts.map((text) => JSON.parse(text))).toMatchObject([
      { status: 422, excerpt: '{"error":"no such email"}', event: { n: 0 } },
    ]);
    expect(bench.refusals).toEqual([{ status: 422, excerpt: '{"error":"no such email"}' }]);
    expect(bench.errors).toMatchObject([
      { status: 422, retryable: false },
      { status: 422, retryable: false },
    ]);
  });

  it('delivers an event that was refused once and then taken', async () => {
    const bench = new Bench();
    bench.transport.respond = () => answered(bench.transport.requests.length === 1 ? 400 : 200);
    await bench.send(1);
    await bench.pass(MINUTE);
    expect(bench.books).toMatchObject({ delivered: 1, deadLettered: 0 });
  });

  it('still knows of the first refusal where the service could not answer in between', async () => {
    const bench = new Bench();
    const statuses = [400, 503, 400];
    bench.transport.respond = () => answered(statuses.shift() ?? 200);
    await bench.send(1);
    await bench.pass(10 * SECOND);
    expect(bench.kept).toEqual([0]);
    expect(bench.transport.requests).toHaveLength(3);
  });

  it('does not ask without end where an event is refused in another way each time', async () => {
    const bench = new Bench();
    const status = () => (bench.transport.requests.length % 2 === 0 ? 400 : 422);
    bench.refuse(() => true, status);
    await bench.send(1);
    expect(bench.transport.requests.length).toBeLessThanOrEqual(10);
  });

  it('pauses in place of filling the dead letters where all are refused, and delivers the rest later', async () => {
    const bench = new Bench();
    bench.refuse(() => true);
    await bench.send(500);
    await bench.pass(30 * MINUTE);
    expect(bench.books.deadLettered).toBeLessThanOrEqual(10);
    expect(bench.books.delivered).toBe(0);
    expect(bench.transport.requests.length).toBeLessThanOrEqual(150);
    const kept = sorted(bench.kept);
    bench.refuse(() => false);
    await bench.pass(20 * MINUTE);
    expect(sorted([...bench.taken, ...kept])).toEqual(range(0, 500));
    expect(bench.backlog.pending).toBe(0);
  });

  it('does so with several requests at once too', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 50 });
    bench.refuse(() => true);
    await bench.send(1_000);
    await bench.pass(30 * MINUTE);
    expect(bench.books.deadLettered).toBeLessThanOrEqual(10);
    expect(bench.transport.requests.length).toBeLessThanOrEqual(150);
    const kept = sorted(bench.kept);
    bench.refuse(() => false);
    await bench.pass(20 * MINUTE);
    expect(sorted([...bench.taken, ...kept])).toEqual(range(0, 1_000));
    expect(bench.imbalances).toEqual([]);
  });

  it('goes on with batches that were taken before all seemed to be refused', async () => {
    const bench = new Bench({ concurrency: 4, maxEvents: 20 });
    bench.refuse(() => true);
    await bench.send(200);
    await bench.pass(3 * HOUR, MINUTE);
    const kept = sorted(bench.kept);
    bench.refuse(() => false);
    await bench.pass(HOUR, MINUTE);
    expect(sorted([...bench.taken, ...kept])).toEqual(range(0, 200));
    expect(bench.backlog.pending).toBe(0);
  });

  it('does not let what one batch is refused for hold up all others for good', async () => {
    const bench = new Bench({ maxEvents: 50 });
    bench.refuse((n) => n < 50);
    await bench.send(1_000);
    await bench.pass(4 * HOUR, MINUTE);
    expect(sorted(bench.taken)).toEqual(range(50, 1_000));
  });

  it('keeps an event whose dead letter cannot be written, and tries again later', async () => {
    const bench = new Bench();
    bench.letters.failAppends = true;
    bench.refuse((n) => n === 1);
    await bench.send(3);
    expect(bench.books.deadLettered).toBe(0);
    expect(bench.storageErrors).toHaveLength(1);
    expect(bench.backlog.pending).toBeGreaterThanOrEqual(1);
    await bench.pass(20 * MINUTE);
    expect(bench.backlog.pending).toBeGreaterThanOrEqual(1);
    bench.letters.failAppends = false;
    await bench.pass(20 * MINUTE);
    expect(bench.kept).toEqual([1]);
    expect(bench.books).toMatchObject({ delivered: 2, deadLettered: 1 });
    expect(bench.backlog.pending).toBe(0);
  });

  it('asks once in a minute where an answer names an event whose dead letter cannot be written', async () => {
    const bench = new Bench({ classify: ({ count }) => (count === 1 ? [{ index: 0 }] : [{ index: 2 }]) });
    bench.letters.failAppends = true;
    await bench.send(3);
    await bench.pass(10 * MINUTE);
    expect(bench.transport.requests.length).toBeLessThanOrEqual(12);
    expect(bench.gate.state).toBe('closed');
    bench.letters.failAppends = false;
    await bench.pass(2 * MINUTE);
    expect(bench.kept).toEqual([2]);
    expect(bench.books).toMatchObject({ delivered: 2, deadLettered: 1 });
  });

  it('releases an event only once its dead letter would survive a power cut', async () => {
    const bench = new Bench();
    const release = bench.letters.hangAppends();
    bench.refuse(() => true);
    await bench.send(1);
    expect(bench.letters.calls).toContain('append');
    expect(bench.journal.acknowledged).toEqual([]);
    release();
    await bench.quiet();
    expect(bench.letters.calls.at(-1)).toBe('sync');
    expect(bench.journal.acknowledged).toHaveLength(1);
  });
});

describe('Sender, where a batch is too large', () => {
  it('sends it in parts, each event once', async () => {
    const bench = new Bench();
    bench.transport.respond = (request) => {
      if (request.events.length > 100) return answered(413);
      bench.taken.push(...numbersOf(request));
      return answered(200);
    };
    await bench.send(500);
    expect(sorted(bench.taken)).toEqual(range(0, 500));
    expect(bench.transport.requests).toHaveLength(3 + 8);
    expect(bench.books).toMatchObject({ delivered: 500, deadLettered: 0 });
    expect(bench.states).toEqual([]);
  });

  it('keeps one event that is too large alone as a dead letter, without asking again', async () => {
    const bench = new Bench();
    bench.transport.respond = ({ text }) => answered(text.length > 200 ? 413 : 200);
    await bench.trackTexts(
      [0, 1, 2, 3].map((n) => JSON.stringify({ n, pad: n === 2 ? 'x'.repeat(300) : '' })),
    );
    await bench.quiet();
    expect(bench.kept).toEqual([2]);
    const alone = bench.transport.requests.filter((request) => numbersOf(request).join() === '2');
    expect(alone).toHaveLength(1);
    expect(bench.books).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('asks twice where larger bodies were accepted of late', async () => {
    const bench = new Bench();
    bench.refuse((n) => n === 2, 413);
    await bench.send(4);
    expect(bench.kept).toEqual([2]);
    const alone = bench.transport.requests.filter((request) => numbersOf(request).join() === '2');
    expect(alone).toHaveLength(2);
    expect(bench.books).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('keeps each of many that are too large: that is the fault of no one else', async () => {
    const bench = new Bench();
    bench.refuse((n) => n < 15, 413);
    await bench.send(30);
    await bench.pass(HOUR);
    expect(sorted(bench.kept)).toEqual(range(0, 15));
    expect(sorted(bench.taken)).toEqual(range(15, 30));
  });
});

describe('the key', () => {
  const echo = `your header was "authorization: Api-Key ${KEY}", ${KEY}`;

  it.each([400, 401, 413, 500])('is in no error where the answer of status %d quotes it', async (status) => {
    const bench = new Bench();
    bench.transport.respond = () => answered(status, { body: echo });
    await bench.send(1);
    expect(bench.errors.length).toBeGreaterThan(0);
    for (const error of bench.errors) {
      const shown = [error.message, error.excerpt, error.stack, String(error.cause), JSON.stringify(error)];
      expect(shown.join('\n')).not.toContain(KEY);
      expect(error.excerpt).toContain('your header was');
    }
  });

  it('is in no dead letter', async () => {
    const bench = new Bench();
    bench.transport.respond = () => answered(400, { body: echo });
    await bench.send(1);
    expect(bench.letters.texts).toHaveLength(1);
    expect(bench.letters.texts.join('')).not.toContain(KEY);
    expect(bench.refusals).toHaveLength(1);
    expect(JSON.stringify(bench.refusals)).not.toContain(KEY);
  });

  it('is in no error where the failure of a request quotes it', async () => {
    const bench = new Bench();
    bench.transport.respond = () => failed(false, new Error(`invalid header: Api-Key ${KEY}`));
    await bench.send(1);
    const [error] = bench.errors;
    expect(error?.message).toContain('invalid header');
    const cause = error?.cause instanceof Error ? [error.cause.message, error.cause.stack] : [error?.cause];
    expect([error?.message, error?.stack, ...cause].join('\n')).not.toContain(KEY);
  });
});

describe('what the sender shows of an answer', () => {
  it('is its start alone', async () => {
    const bench = new Bench();
    bench.transport.respond = () => answered(400, { body: 'x'.repeat(60_000) });
    await bench.send(1);
    expect(bench.errors[0]?.excerpt).toBe('x'.repeat(1_024));
    expect(bench.refusals[0]?.excerpt).toBe('x'.repeat(1_024));
  });

  it('says what came, and what the sender does about it', async () => {
    const bench = new Bench();
    bench.transport.respond = () => answered(403);
    await bench.send(1);
    expect(bench.errors[0]?.message).toMatch(/answered 403.*pause/);
  });
});

describe('Sender, with events that only the journal holds', () => {
  it('delivers what earlier lives left', async () => {
    const bench = new Bench({ maxEvents: 10 });
    await bench.recover(25);
    bench.refuse(() => false);
    bench.sender.wake();
    await bench.quiet();
    expect(bench.taken).toEqual(range(0, 25));
    expect(bench.journal.bytes).toBe(0);
    expect(bench.imbalances).toEqual([]);
  });

  it('tells where they cannot be read, and tries again by itself', async () => {
    const bench = new Bench();
    await bench.recover(5);
    bench.journal.failReads = true;
    bench.sender.wake();
    await bench.quiet();
    expect(bench.storageErrors).toHaveLength(1);
    expect(bench.backlog.pending).toBe(5);
    bench.journal.failReads = false;
    await bench.pass(SECOND);
    expect(bench.books.delivered).toBe(5);
    expect(bench.clock.timers).toBe(0);
  });

  it('has one timer for that, however often it is woken', async () => {
    const bench = new Bench();
    await bench.recover(5);
    bench.journal.failReads = true;
    for (let count = 0; count < 100; count += 1) {
      bench.sender.wake();
      await bench.quiet();
    }
    expect(bench.clock.timers).toBe(1);
    await bench.pass(10 * SECOND);
    expect(bench.clock.timers).toBe(1);
  });

  it('counts what is damaged as dropped, and delivers the rest', async () => {
    const bench = new Bench({ maxEvents: 10 });
    await bench.recover(25);
    bench.journal.damage({ segment: 1, from: 3, to: 8 });
    bench.refuse(() => false);
    bench.sender.wake();
    await bench.quiet();
    expect(bench.taken).toEqual([0, 1, 2, ...range(8, 25)]);
    expect(bench.books.dropped.damaged).toBe(5);
    expect(bench.imbalances).toEqual([]);
    expect(bench.backlog.pending).toBe(0);
  });
});

describe('stop', () => {
  it.each<[string, ScriptedTransport['respond']]>([
    ['a request that hangs', hang],
    ['a wait before a retry', () => answered(500)],
    ['a wait that the service asked for', () => answered(429, { retryAfter: '60' })],
    ['a pause', () => answered(401)],
  ])('ends %s without time passing, and leaves the events where they are', async (_, respond) => {
    const bench = new Bench({ concurrency: 2, maxEvents: 2 });
    bench.transport.respond = respond;
    await bench.send(10);
    const requests = bench.transport.requests.length;
    let isStopped = false;
    void bench.sender.stop().then(() => {
      isStopped = true;
    });
    await bench.quiet();
    expect(isStopped).toBe(true);
    bench.gate.stop();
    expect(bench.clock.timers).toBe(0);
    expect(bench.backlog.pending).toBe(10);
    expect(bench.journal.acknowledged).toEqual([]);
    expect(bench.transport.requests).toHaveLength(requests);
    expect(bench.imbalances).toEqual([]);
  });

  it('sends nothing afterwards', async () => {
    const bench = new Bench();
    await bench.sender.stop();
    await bench.send(5);
    await bench.pass(MINUTE);
    expect(bench.transport.requests).toEqual([]);
    expect(bench.backlog.pending).toBe(5);
  });

  it('still counts an answer that comes with it', async () => {
    const bench = new Bench();
    bench.transport.respond = async (request) => {
      await hang(request);
      return answered(200);
    };
    await bench.send(3);
    await bench.sender.stop();
    expect(bench.books.delivered).toBe(3);
    expect(bench.backlog.pending).toBe(0);
    expect(bench.journal.acknowledged).toHaveLength(1);
  });

  it('reports no failure of what it ended itself', async () => {
    const bench = new Bench();
    bench.transport.respond = hang;
    await bench.send(3);
    await bench.sender.stop();
    expect(bench.errors).toEqual([]);
    expect(bench.books.maybeDuplicate).toBe(0);
  });

  it('leaves halves of a batch that it did not come to', async () => {
    const bench = new Bench();
    bench.transport.respond = (request) => (request.events.length > 4 ? answered(413) : hang(request));
    await bench.send(8);
    await bench.sender.stop();
    expect(bench.transport.requests).toHaveLength(2);
    expect(bench.backlog.pending).toBe(8);
  });

  it('says and sets nothing when a read that was under way fails after it', async () => {
    const bench = new Bench();
    await bench.recover(1);
    const release = bench.journal.hangReads();
    bench.sender.wake();
    await bench.quiet();
    void bench.sender.stop();
    await bench.quiet();
    bench.journal.failReads = true;
    release();
    await bench.quiet();
    expect(bench.journal.calls.at(-1)).toBe('read');
    expect(bench.storageErrors).toEqual([]);
    expect(bench.clock.timers).toBe(0);
  });

  it.each([401, 429, 500])('has no timer left where the service answered %d just then', async (status) => {
    const bench = new Bench();
    bench.transport.respond = async (request) => {
      await hang(request);
      return answered(status, { retryAfter: '60' });
    };
    await bench.send(1);
    // As the tracker does.
    bench.gate.stop();
    await bench.sender.stop();
    expect(bench.clock.timers).toBe(0);
    expect(bench.backlog.pending).toBe(1);
  });
});

describe('wake', () => {
  it('is never lost, whatever the sender does just then', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const bench = new Bench({ concurrency: 2, maxEvents: 1 });
      bench.transport.respond = hang;
      bench.backlog.push('1', 0);
      bench.backlog.push('2', 0);
      const range = await bench.journal.append(toEventBytes(['1', '2']));
      bench.backlog.markWritten({ ...range, to: range.from + 1 });
      bench.sender.wake();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      bench.backlog.markWritten({ ...range, from: range.from + 1 });
      bench.sender.wake();
      await settle();
      expect(bench.transport.requests.length, `after ${turns} turns`).toBe(2);
    }
  });
});

describe('Sender, with events that get too old', () => {
  it('drops a batch in flight as expired, where the service is away for longer than its events may wait', async () => {
    const bench = new Bench({ maxAgeMs: 5 * MINUTE });
    bench.transport.respond = () => failed(false);
    await bench.send(3);
    await bench.pass(5 * MINUTE);
    expect([bench.books.dropped.expired, bench.backlog.inFlight]).toEqual([0, 3]);
    await bench.pass(2 * MINUTE);
    expect(bench.books.dropped.expired).toBe(3);
    expect([bench.backlog.pending, bench.backlog.inFlight]).toEqual([0, 0]);
    expect(bench.journal.acknowledged).toEqual([expect.objectContaining({ from: 0, to: 3 })]);
    const { length } = bench.transport.requests;
    await bench.pass(HOUR);
    expect(bench.transport.requests).toHaveLength(length);
    expect(bench.imbalances).toEqual([]);
  });

  it('drops what waits behind a request that hangs, while it hangs', async () => {
    const bench = new Bench({ maxAgeMs: 10 * SECOND, maxEvents: 2 });
    bench.transport.respond = hang;
    await bench.send(6);
    await bench.recover(3);
    await bench.pass(10 * SECOND + 500);
    expect(bench.books.dropped.expired).toBe(4);
    expect([bench.backlog.inFlight, bench.backlog.stored]).toEqual([2, 3]);
    expect(bench.imbalances).toEqual([]);
  });

  it('counts what it dropped where the journal cannot note that, and says so', async () => {
    const bench = new Bench({ maxAgeMs: MINUTE });
    bench.transport.respond = () => failed(false);
    await bench.send(2);
    bench.journal.failAcknowledgements = true;
    await bench.pass(3 * MINUTE);
    expect(bench.books.dropped.expired).toBe(2);
    expect(bench.storageErrors).toHaveLength(1);
    expect(bench.imbalances).toEqual([]);
  });

  it('goes on with other batches where the one that was to find out got too old', async () => {
    const bench = new Bench({ maxAgeMs: MINUTE });
    bench.transport.respond = () => failed(false);
    await bench.send(2);
    await bench.pass(5 * MINUTE);
    expect(bench.books.dropped.expired).toBe(2);
    bench.transport.respond = () => answered(200);
    await bench.send(1);
    await bench.pass(MINUTE);
    expect(bench.books.delivered).toBe(1);
    expect(bench.imbalances).toEqual([]);
  });

  it('is not stopped before the journal knows of what was taken', async () => {
    const bench = new Bench();
    const release = bench.journal.hangAcknowledgements();
    await bench.send(3);
    let isStopped = false;
    const stopped = bench.sender.stop().then(() => {
      isStopped = true;
    });
    await bench.quiet();
    expect(isStopped).toBe(false);
    release();
    await stopped;
    expect(bench.books.delivered).toBe(3);
  });

  it('is not stopped before the journal knows of what is dropped just then', async () => {
    const bench = new Bench({ maxAgeMs: 10 * SECOND, maxEvents: 2 });
    bench.transport.respond = hang;
    await bench.send(4);
    const release = bench.journal.hangAcknowledgements();
    await bench.pass(11 * SECOND);
    expect(bench.books.dropped.expired).toBe(2);
    let isStopped = false;
    const stopped = bench.sender.stop().then(() => {
      isStopped = true;
    });
    await bench.quiet();
    expect(isStopped).toBe(false);
    release();
    await stopped;
  });
});

describe('Sender, with a journal that failed', () => {
  /** Accepts events that no journal contains, and lets them be sent. */
  async function sendUnwritten(bench: Bench, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) bench.backlog.push(`{"n":${n}}`, bench.clock.now());
    bench.books.accepted += count;
    bench.backlog.sendsUnwritten = true;
    bench.sender.wake();
    await bench.quiet();
  }

  it('gives to it what is in flight once it works, where it is known from then on', async () => {
    const bench = new Bench();
    bench.transport.respond = hang;
    await sendUnwritten(bench, 3);
    expect([bench.backlog.inFlight, bench.backlog.memoryOnly]).toEqual([3, 3]);
    await bench.underWay.secure();
    expect(bench.journal.groups).toEqual([['{"n":0}', '{"n":1}', '{"n":2}']]);
    expect([bench.backlog.inFlight, bench.backlog.memoryOnly]).toEqual([3, 0]);
    await bench.underWay.secure();
    expect(bench.journal.groups).toHaveLength(1);
    expect(bench.imbalances).toEqual([]);
  });

  it('releases there what the service takes then', async () => {
    const bench = new Bench();
    const { promise, resolve } = gate();
    bench.transport.respond = async () => {
      await promise;
      return answered(200);
    };
    await sendUnwritten(bench, 3);
    await bench.underWay.secure();
    resolve();
    await bench.quiet();
    expect(bench.books.delivered).toBe(3);
    expect(bench.journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 3 }]);
    expect(bench.imbalances).toEqual([]);
  });

  it('releases there what the service took while it was written', async () => {
    const bench = new Bench();
    const { promise, resolve } = gate();
    bench.transport.respond = async () => {
      await promise;
      return answered(200);
    };
    await sendUnwritten(bench, 3);
    const release = bench.journal.hangAppends();
    const secured = bench.underWay.secure();
    resolve();
    await bench.quiet();
    expect(bench.books.delivered).toBe(3);
    release();
    await secured;
    expect(bench.journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 3 }]);
    expect([bench.backlog.pending, bench.backlog.memoryOnly]).toEqual([0, 0]);
    expect(bench.imbalances).toEqual([]);
  });

  it('leaves it in memory where the journal still does not take it', async () => {
    const bench = new Bench();
    bench.transport.respond = hang;
    bench.journalWorks = false;
    await sendUnwritten(bench, 3);
    await bench.underWay.secure();
    expect(bench.backlog.memoryOnly).toBe(3);
    bench.journalWorks = true;
    await bench.underWay.secure();
    expect(bench.backlog.memoryOnly).toBe(0);
  });

  it('gives to it the parts of a batch that was cut, each once', async () => {
    const bench = new Bench();
    bench.transport.respond = (request) => (request.events.length > 1 ? answered(413) : hang(request));
    await sendUnwritten(bench, 4);
    await bench.underWay.secure();
    expect(bench.journal.texts.toSorted()).toEqual([0, 1, 2, 3].map((n) => `{"n":${n}}`));
    expect(bench.backlog.memoryOnly).toBe(0);
    expect(bench.imbalances).toEqual([]);
  });
});

describe('Sender, where some requests fail all the time', () => {
  /** One of five requests fails, as if one of five machines were broken. After `mend()`, none fails. */
  function failSome(bench: Bench): { mend(): void } {
    let isMended = false;
    let count = 0;
    bench.transport.respond = (request) => {
      count += 1;
      if (!isMended && count % 5 === 0) return answered(500);
      bench.taken.push(...numbersOf(request));
      return answered(200);
    };
    return {
      mend: () => {
        isMended = true;
      },
    };
  }

  async function trackFor(bench: Bench, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await bench.track(10);
      await bench.pass(SECOND);
    }
  }

  it('goes on with fresh events, and keeps retries to a tenth of the successes', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 1, retriesPerSuccess: 0.1 });
    failSome(bench);
    await trackFor(bench, 200);
    const { sent, retried } = bench.requests.stats;
    expect(bench.books.delivered).toBeGreaterThan(0.75 * 2_000);
    // Ten at first, one for ten deliveries, and one in ten seconds.
    expect(retried).toBeLessThanOrEqual(10 + 0.1 * bench.books.delivered + 20 + 1);
    expect(sent).toBeLessThanOrEqual(2_000 + retried);
    expect(bench.books.delivered + bench.backlog.pending).toBe(2_000);
    // Waiting events are only in the journal.
    expect(bench.backlog.inFlight).toBeLessThanOrEqual(8 * 2);
    expect(bench.backlog.stored).toBeGreaterThan(100);
    expect(bench.imbalances).toEqual([]);
  });

  it('sends what waits as soon as none of the last requests failed, as it was', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 5, retriesPerSuccess: 0.1 });
    const service = failSome(bench);
    await trackFor(bench, 200);
    expect(bench.backlog.stored).toBeGreaterThan(0);
    service.mend();
    await trackFor(bench, 30);
    expect(bench.backlog.pending).toBe(0);
    expect(sorted(bench.taken)).toEqual(range(0, 2_300));
    const bodies = new Set(bench.transport.requests.map(({ text }) => text));
    // A retry sends a body that was sent before.
    expect(bench.transport.requests.length - bodies.size).toBe(bench.requests.stats.retried);
    expect(bench.clock.timers).toBe(0);
  });

  it('keeps what no journal holds on its way', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 1, retriesPerSuccess: 0.1 });
    failSome(bench);
    bench.journal.failAppends = true;
    bench.journalWorks = false;
    for (let second = 0; second < 100; second += 1) {
      for (let n = 0; n < 10; n += 1) bench.backlog.push(`{"n":${second * 10 + n}}`, bench.clock.now());
      bench.books.accepted += 10;
      bench.backlog.sendsUnwritten = true;
      bench.sender.wake();
      await bench.pass(SECOND);
    }
    expect(bench.backlog.stored).toBe(0);
    expect(bench.books.delivered + bench.backlog.pending).toBe(1_000);
    expect(bench.imbalances).toEqual([]);
  });
});

describe('Sender, where dead letters cannot be kept', () => {
  it('delivers all others meanwhile, and keeps them once storage works', async () => {
    const bench = new Bench({ concurrency: 2, maxEvents: 50 });
    bench.refuse((n) => n % 50 === 7);
    bench.letters.failAppends = true;
    for (let round = 0; round < 40; round += 1) await bench.send(50);
    expect(bench.books).toMatchObject({ delivered: 40 * 49, deadLettered: 0 });
    expect(bench.backlog.pending).toBe(40);
    expect(bench.gate.state).toBe('closed');
    const asked = bench.transport.requests.length;
    await bench.pass(10 * MINUTE);
    // The sender tries the storage again, not the service.
    expect(bench.transport.requests).toHaveLength(asked);
    bench.letters.failAppends = false;
    await bench.pass(2 * MINUTE);
    expect(bench.kept).toHaveLength(40);
    expect(bench.books.deadLettered).toBe(40);
    expect([bench.backlog.pending, bench.clock.timers, bench.journal.bytes]).toEqual([0, 0, 0]);
    expect(bench.imbalances).toEqual([]);
  });

  it('gives to the journal those that are in memory alone, as all that is under way', async () => {
    const bench = new Bench();
    bench.refuse((n) => n === 1);
    bench.letters.failAppends = true;
    for (const n of [0, 1, 2]) bench.backlog.push(`{"n":${n}}`, bench.clock.now());
    bench.books.accepted += 3;
    bench.backlog.sendsUnwritten = true;
    bench.sender.wake();
    await bench.quiet();
    expect([bench.backlog.pending, bench.backlog.memoryOnly]).toEqual([1, 1]);
    await bench.underWay.secure();
    expect([bench.backlog.pending, bench.backlog.memoryOnly]).toEqual([1, 0]);
    expect(bench.journal.texts).toEqual(['{"n":1}']);
  });
});
