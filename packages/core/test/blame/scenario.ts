import { isFull } from '../../../../testing/full.ts';
import { createTracker } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerOptions, TrackerStats } from '../../src/index.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';
import { type Figures, figuresOf, lineOf, print } from './figures.ts';
import { randomOf, type Service, ServiceTransport } from './service.ts';

/** Events that arrive at an even pace. */
export interface Arrivals {
  readonly perSecond: number;
  /** Whether each waits by chance for the one before. */
  readonly isRandom?: boolean;
  /** Those of this time arrive together, in milliseconds. Default: 10. */
  readonly stepMs?: number;
  readonly priority?: 'high';
  /** When they start and end, in seconds. Default: the whole run. */
  readonly from?: number;
  readonly to?: number;
}

/** Options of `createTracker()`, with those that are to come. */
export type Options = Partial<Omit<TrackerOptions, 'delivery' | 'ordering'>> & {
  readonly delivery?: TrackerOptions['delivery'] & Readonly<Record<string, unknown>>;
  readonly ordering?: 'unordered' | 'per-customer' | 'strict';
};

export interface Scenario {
  /** How long events are tracked, in seconds. */
  readonly seconds: number;
  /** How long to wait after that, in seconds. Default: 0. */
  readonly after?: number;
  /** A number is a rate per second. */
  readonly arrivals: number | readonly Arrivals[];
  readonly service: Service;
  /** Whether an event is at fault. Default: none is. */
  readonly isCulprit?: (event: number) => boolean;
  /** Default: one of a thousand, in turn. */
  readonly customerOf?: (event: number) => string;
  /** Length of a text in the event. Default: none. */
  readonly textOf?: (event: number) => number;
  readonly options?: Options;
  /** How far the clock of the tracker is ahead of the true time, in milliseconds. Default: 0. */
  readonly skewMs?: number;
  /** Default: the same for each run. */
  readonly seed?: number;
  /** Default: one of its own. */
  readonly clock?: VirtualClock | undefined;
  /** What else happens, and in which second. */
  readonly actions?: Readonly<Record<number, (trial: Trial) => void>>;
}

/** How long a test may take with all events, in milliseconds. Undefined: the usual time. */
export const LIMIT: number | undefined = isFull ? 30 * 60_000 : undefined;
/** Otherwise rows with very many events run with a tenth of them, in batches of a tenth: the requests are the same. */
export const SCALE: number = isFull ? 1 : 10;
/** Options for such a row. In full, memory holds all that waits, as a disk would. */
export const SCALED: Options = isFull
  ? { buffer: { maxEvents: 4_000_000, maxBytes: 1024 * 1024 * 1024 } }
  : { batch: { maxEvents: 500 / SCALE } };

const SECOND = 1_000;
/** At higher rates, several events arrive together. */
const STEP_MS = 10;
const KEY = 'key-1';
/** How often the books are checked. */
const ACCEPTANCES_PER_AUDIT = 50;

/** Lets all promises settle, however many there are in a row. */
const drained = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A tracker with default options, a service, and virtual time. */
export class Trial {
  readonly clock: VirtualClock;
  readonly transport: ServiceTransport;
  readonly tracker: Tracker;
  /** By the number of the event. */
  readonly trackedAt: number[] = [];
  readonly takenAt: (number | undefined)[] = [];
  readonly pauses: string[] = [];
  readonly #scenario: Scenario;
  readonly #start: number;
  readonly #high = new Set<number>();
  /** The newest accepted event of each customer. */
  readonly #newest = new Map<string, number>();
  #acceptances = 0;
  #duplicates = 0;
  #outOfOrder = 0;
  #opened = 0;
  #openMs = 0;
  #openSince = Number.NaN;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    const { clock = new VirtualClock(undefined, drained), seed = 7, skewMs = 0 } = scenario;
    this.clock = clock;
    this.#start = clock.now();
    const time = new SkewedClock(clock);
    time.skewMs = skewMs;
    this.transport = new ServiceTransport(clock, scenario.service, (events) => this.#take(events));
    const options = {
      ...{ baseUrl: 'http://service.example', apiKey: KEY, correlationKey: 'email', journal: 'memory' },
      ...{ clock: time, transport: this.transport, random: randomOf(seed) },
      ...scenario.options,
    };
    this.tracker = createTracker(options as TrackerOptions);
    this.tracker.on('paused', ({ reason }) => this.pauses.push(reason));
    this.tracker.on('breaker', ({ state }) => {
      if (state === 'open') this.#opened += 1;
      if (state === 'open') this.#openSince = clock.now();
      else this.#openMs += clock.now() - this.#openSince || 0;
      if (state !== 'open') this.#openSince = Number.NaN;
    });
    const { arrivals } = scenario;
    for (const stream of typeof arrivals === 'number' ? [{ perSecond: arrivals }] : arrivals)
      this.#arrive(stream);
    for (const [second, action] of Object.entries(scenario.actions ?? {}))
      clock.setTimeout(() => action(this), Number(second) * SECOND);
  }

  async run(): Promise<void> {
    const { seconds, after = 0 } = this.#scenario;
    await this.clock.advance((seconds + after) * SECOND);
  }

  track(priority?: 'high'): void {
    const { customerOf, textOf } = this.#scenario;
    const n = this.trackedAt.length;
    const bytes = textOf?.(n) ?? 0;
    const payload = bytes > 0 ? { n, text: 'x'.repeat(bytes) } : { n };
    const correlationValue = customerOf?.(n) ?? `customer-${n % 1_000}`;
    this.trackedAt.push(this.clock.now());
    if (priority) this.#high.add(n);
    this.tracker.track('event', payload, priority ? { correlationValue, priority } : { correlationValue });
  }

  stats(): TrackerStats & { readonly suspects?: unknown } {
    return this.tracker.stats();
  }

  /** Rule 4 of the design. Throws if it does not hold. */
  audit(): void {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const missing = accepted + recovered - delivered - deadLettered - lost - pending;
    if (missing !== 0) throw new Error(`the books do not balance: ${missing} events are missing`);
  }

  /** Numbers of the events that are kept as dead letters, each with the words of the service. */
  async letters(): Promise<[number, string][]> {
    const letters: [number, string][] = [];
    for await (const { event, excerpt } of this.tracker.deadLetters.list())
      letters.push([(event as { payload: { n: number } }).payload.n, excerpt]);
    return letters;
  }

  async figures(): Promise<Figures> {
    const letters = (await this.letters()).map(([event]) => event);
    return figuresOf({
      now: this.clock.now(),
      trackedAt: this.trackedAt,
      takenAt: this.takenAt,
      isCulprit: this.#isCulprit,
      isHigh: (event) => this.#high.has(event),
      requests: this.transport.requests,
      stats: this.stats(),
      letters,
      duplicates: this.#duplicates,
      outOfOrder: this.#outOfOrder,
      pauses: this.pauses,
      opened: this.#opened,
      openMs: this.#openMs + (this.clock.now() - this.#openSince || 0),
    });
  }

  /** The requests that were made between two seconds, and the events that were accepted with them. */
  between(from: number, to: number) {
    const [start, end] = [this.#start + from * SECOND, this.#start + to * SECOND];
    const made = this.transport.requests.filter(({ at }) => at >= start && at < end);
    const accepted = made.filter(({ status }) => status >= 200 && status < 300);
    const events = accepted.reduce((sum, request) => sum + request.events.length, 0);
    return {
      made,
      accepted,
      eventsPerSecond: events / (to - from),
      eventsPerRequest: events / accepted.length,
    };
  }

  async close(): Promise<void> {
    const closed = this.tracker.close({ timeoutMs: 1 });
    await this.clock.advance(10 * SECOND);
    await closed;
  }

  readonly #isCulprit = (event: number) => this.#scenario.isCulprit?.(event) ?? false;

  #arrive(arrivals: Arrivals): void {
    const { perSecond, priority, isRandom = false, stepMs = STEP_MS } = arrivals;
    const { from = 0, to = this.#scenario.seconds } = arrivals;
    const random = randomOf(this.#scenario.seed ?? 1);
    const everyMs = Math.max(stepMs, SECOND / perSecond);
    let owed = 0;
    const step = () => {
      if (this.clock.now() >= this.#start + to * SECOND) return;
      for (owed += (perSecond * everyMs) / SECOND; owed > 0.999_999; owed -= 1) this.track(priority);
      this.clock.setTimeout(step, isRandom ? -everyMs * Math.log(1 - random()) : everyMs);
    };
    this.clock.setTimeout(step, from * SECOND + (isRandom ? random() * everyMs : 0));
  }

  #take(events: readonly number[]): void {
    const { customerOf } = this.#scenario;
    if (this.#acceptances % ACCEPTANCES_PER_AUDIT === 0) this.audit();
    this.#acceptances += 1;
    for (const event of events) {
      if (this.takenAt[event] !== undefined) this.#duplicates += 1;
      if (this.takenAt[event] !== undefined) continue;
      this.takenAt[event] = this.clock.now();
      if (this.#isCulprit(event)) continue;
      const customer = customerOf?.(event) ?? `customer-${event % 1_000}`;
      const newest = this.#newest.get(customer) ?? -1;
      if (event < newest) this.#outOfOrder += 1;
      else this.#newest.set(customer, event);
    }
  }
}

/** A finished run. */
export interface Result {
  readonly trial: Trial;
  readonly figures: Figures;
  readonly letters: readonly [number, string][];
  /** What `stats()` said at the end. */
  readonly stats: TrackerStats & { readonly suspects?: unknown };
}

/** Runs a scenario, and prints its figures if somebody wants them. */
export async function measure(name: string, scenario: Scenario): Promise<Result> {
  const trial = new Trial(scenario);
  try {
    await trial.run();
    trial.audit();
    const figures = await trial.figures();
    print(lineOf(name, figures));
    return { trial, figures, letters: await trial.letters(), stats: trial.stats() };
  } finally {
    await trial.close();
  }
}

/** The number of suspected events that `stats()` lists. */
export function suspectsIn({ suspects }: { readonly suspects?: unknown }): number {
  return Array.isArray(suspects) ? suspects.length : Number(suspects ?? 0);
}
