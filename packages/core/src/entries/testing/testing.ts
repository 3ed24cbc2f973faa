import type { Event, InvalidEventError } from '@sluice/protocol';
import { createWith, defaults } from '#engine';
import type { AnyEvents, BigintEvents } from '../../accept/track.ts';
import type { RelayedOptions, TrackerOptions } from '../../options/options.ts';
import type { Defaults } from '../../options/settings.ts';
import { logger } from '../../parts/logger.ts';
import type { Inputs, Schemas } from '../../parts/schemas.ts';
import { allParts } from '../../platform/all-parts.ts';
import type { Outcome, Transport, TransportRequest } from '../../send/http/transport.ts';
import type { Tracker } from '../../tracker.ts';

export { VirtualClock } from './virtual-clock.ts';

type Seams = Pick<Defaults, 'clock' | 'random'>;

/** Options of a tracker in a test: it may have a clock and random numbers of its own. */
export interface TestOptions extends TrackerOptions, Seams {}

type AnyOptions = TestOptions | (RelayedOptions & Seams);

/**
 * As `createTracker` of `@sluice/core`, and takes a clock and random numbers.
 *
 * @example
 * const clock = new VirtualClock();
 * const tracker = createTracker({ baseUrl, correlationKey: 'email', journal: 'memory', clock });
 * tracker.track('purchase');
 * await clock.advance(1_000);
 */
export function createTracker<const Given extends Schemas>(
  options: AnyOptions & { readonly events: Given },
): Tracker<Inputs<Given>>;
export function createTracker(options: AnyOptions & { readonly bigint: 'string' }): Tracker<BigintEvents>;
export function createTracker<Events extends object = AnyEvents>(options: AnyOptions): Tracker<Events>;
export function createTracker({ clock, random, ...options }: AnyOptions): Tracker {
  return createWith(options, { ...defaults, clock, random });
}

/** What the service does with a request: a status, or an Error if the connection fails before the request is sent. */
type Answer = number | Error;

/** A transport for tests, and the events of each request that it was given. */
export interface FaultyTransport extends Transport {
  readonly requests: readonly (readonly Event[])[];
}

/**
 * Makes a transport that answers as a test says. Events arrive nowhere.
 *
 * @param respond Called with the events of a request, and how many requests there were before. Returns a status, or an Error if the
 *   connection fails before the request is sent.
 * @example
 * const transport = faultyTransport((events, count) => (count < 2 ? new Error('no network') : 200));
 * const tracker = createTracker({ baseUrl, correlationKey: 'email', journal: 'memory', transport });
 */
export function faultyTransport(
  respond: (events: readonly Event[], count: number) => Answer | Promise<Answer>,
): FaultyTransport {
  const requests: (readonly Event[])[] = [];
  return {
    requests,
    async post({ body }: TransportRequest): Promise<Outcome> {
      const events: readonly Event[] = JSON.parse(await textOf(body)).batch;
      const answer = await respond(events, requests.push(events) - 1);
      if (typeof answer !== 'number') return { kind: 'failed', cause: answer, maybeSent: false };
      return { kind: 'answered', status: answer, retryAfter: undefined, body: '' };
    },
    close: async () => {},
  };
}

/** The option `compress` gzips it. */
async function textOf(body: Uint8Array): Promise<string> {
  if (body[0] !== 0x1f) return new TextDecoder().decode(body);
  // The cast is safe: bodies are not shared between threads.
  const bytes = new Blob([body as Uint8Array<ArrayBuffer>]).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream('gzip'))).text();
}

/** How long `waitFor()` waits, in milliseconds. */
const WAIT_MS = 1_000;

/** A name, or a function that says whether this is the event. */
type Match = string | ((event: Event) => boolean);

type RecordingOptions = Partial<TestOptions & Pick<RelayedOptions, 'relay'>>;

/** A tracker for tests: it keeps what is tracked, and sends and stores nothing. */
export interface RecordingTracker<Events = AnyEvents> extends Tracker<Events> {
  /**
   * What was tracked, as the service would receive it, the oldest first.
   * @param name Only the events of this name. Default: all.
   * @example expect(tracker.events('purchase')).toHaveLength(1);
   */
  events(name?: string): readonly Event[];
  /**
   * What `track()` and `identify()` refused.
   * @example expect(tracker.problems()).toEqual([]);
   */
  problems(): readonly InvalidEventError[];
  /**
   * Forgets what was tracked and refused.
   * @example beforeEach(() => tracker.clear());
   */
  clear(): void;
  /**
   * Resolves with the first such event, at once if it was tracked before.
   *
   * @param match The name of the event, or a function that returns true for it.
   * @param options `timeoutMs`: how long it waits, in milliseconds. Default: 1,000.
   * @throws Rejects with an Error if there is none in that time. It names the events that were tracked.
   * @example const { payload } = await tracker.waitFor('receipt');
   */
  waitFor(match: Match, options?: { readonly timeoutMs?: number }): Promise<Event>;
}

/**
 * Makes a tracker for tests. It refuses and changes events as a real one does.
 *
 * @param options Those of a real tracker. Those about where events are kept and sent do nothing. Default: none of them is needed.
 * @throws A ConfigError if an option is wrong.
 * @example
 * const tracker = recordingTracker();
 * checkout(tracker);
 * expect(tracker.events('purchase')).toMatchObject([{ payload: { total: 42.5 } }]);
 */
export function recordingTracker<Events extends object = AnyEvents>({
  clock,
  random,
  journalDirectory,
  relay,
  delivery: { connect, dispatcher, ...delivery } = {},
  ...options
}: RecordingOptions = {}): RecordingTracker<Events> {
  const events: Event[] = [];
  const problems: InvalidEventError[] = [];
  const waits = new Set<() => void>();
  const record = (event: Event) => {
    events.push(event);
    for (const wake of waits) wake();
  };
  /** The event that is tracked now was dropped at once. */
  let isDropped = false;
  const steps = (step: string, { event, reason }: { readonly event?: Event; readonly reason?: string }) => {
    if (step === 'dropped' && (reason === 'denied' || reason === 'closed')) {
      isDropped = true;
      queueMicrotask(() => {
        isDropped = false;
      });
    }
    if (step !== 'tracked' || !event) return;
    if (!isDropped) record(event);
    isDropped = false;
  };
  const recorder: typeof logger = (...options) => ({ ...logger(...options), steps });
  const parts = { ...allParts, ...defaults.parts, logger: recorder };
  const tracker = createWith(
    {
      baseUrl: 'http://recording.test',
      correlationKey: 'id',
      logger: false,
      ...options,
      delivery,
      journal: 'memory',
      transport: {
        post: async () => ({ kind: 'answered', status: 200, retryAfter: undefined, body: '' }),
        close: async () => {},
      },
      debug: true,
    },
    { ...defaults, parts, clock, random },
  );
  tracker.on('invalid', ({ error }) => problems.push(error));
  const { setConsent } = tracker;
  return Object.assign(tracker, {
    setConsent(consent: Parameters<typeof setConsent>[0]) {
      setConsent(consent);
      // What it dropped was tracked before.
      isDropped = false;
    },
    events: (name?: string) => events.filter(({ event }) => name === undefined || event === name),
    problems: () => [...problems],
    clear() {
      events.length = 0;
      problems.length = 0;
    },
    waitFor(match: Match, { timeoutMs = WAIT_MS } = {}): Promise<Event> {
      const isMatch = typeof match === 'string' ? ({ event }: Event) => event === match : match;
      return new Promise((resolve, reject) => {
        const look = () => {
          try {
            const found = events.find(isMatch);
            if (found === undefined) return;
            resolve(found);
          } catch (error) {
            reject(error);
          }
          end();
        };
        const end = () => {
          waits.delete(look);
          clearTimeout(timer);
        };
        const timer = setTimeout(() => {
          end();
          const names = events.map(({ event }) => event).join(', ') || 'nothing';
          const what = typeof match === 'string' ? JSON.stringify(match) : 'no such event';
          reject(new Error(`${what} was not tracked within ${timeoutMs} ms; tracked: ${names}`));
        }, timeoutMs);
        waits.add(look);
        look();
      });
    },
  }) as unknown as RecordingTracker<Events>;
}

/** What vitest and Jest hand to a matcher as `this`. */
interface MatcherContext {
  equals(one: unknown, other: unknown): boolean;
}

/**
 * Matchers for vitest and Jest. Without a payload, `toHaveTracked` accepts any.
 *
 * @example
 * expect.extend(trackerMatchers);
 * expect(tracker).toHaveTracked('purchase', expect.objectContaining({ total: 42.5 }));
 */
export const trackerMatchers = {
  toHaveTracked(
    this: MatcherContext,
    tracker: Pick<RecordingTracker, 'events'>,
    name: string,
    payload?: unknown,
  ): { pass: boolean; message: () => string } {
    if (typeof tracker.events !== 'function') {
      throw new TypeError('toHaveTracked() compares a recordingTracker(): give one to expect()');
    }
    const found = tracker.events(name);
    const pass = found.some((event) => payload === undefined || this.equals(event.payload, payload));
    const seen = JSON.stringify(found.map(({ payload }) => payload));
    const others = tracker.events().map(({ event }) => event);
    const message = () =>
      `"${name}" was ${pass ? '' : 'not '}tracked${payload === undefined ? '' : ' with this payload'}; ` +
      (found.length > 0 ? `its payloads: ${seen}` : `tracked: ${others.join(', ') || 'nothing'}`);
    return { pass, message };
  },
};
