import type { Logger } from './logger.ts';
import type { Pause } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

type Line = readonly [level: keyof Logger, data: object, message: string];
type Lines = { readonly [Name in keyof TrackerEvents]?: (detail: TrackerEvents[Name]) => Line };

/** What to do about a pause. */
const ADVICE: Readonly<Record<Pause['reason'], string>> = {
  unauthorized: 'the service does not take the API key; all events are kept: give a good one to setApiKey()',
  misdirected: 'the address is not that of the service; all events are kept: look at baseUrl',
  refused: 'the service refuses most events; the others are kept: look at what it answers',
  policy: 'delivery.policy pauses on this answer; all events are kept',
  blocked: 'an ad-blocker or the like lets no request through; all events are kept: send them to a relay',
};

/** What is written of what is raised. */
const LINES: Lines = {
  deadLettered: ({ status, excerpt }) => [
    'warn',
    { status, excerpt },
    'the service refused an event; it is kept as a dead letter',
  ],
  dropped: ({ reason, count }) => ['warn', { reason, count }, `events were dropped: ${reason}`],
  invalid: ({ error }) => ['warn', { field: error.field, err: error }, 'an event cannot be sent'],
  recovered: ({ count }) => ['info', { count }, 'events of an earlier life were found'],
  replayed: ({ count }) => ['info', { count }, 'dead letters are sent again'],
  deadLettersDropped: ({ reason, count }) => ['warn', { reason, count }, 'dead letters were dropped'],
  damaged: ({ place, bytes }) => [
    'warn',
    { place, bytes },
    'the journal is damaged; what is intact is delivered',
  ],
  failedAttempt: ({ error }) => {
    const { status } = error;
    const message = status === undefined ? 'no answer came' : `the service answered ${status}`;
    return ['debug', { status, err: error }, message];
  },
  storageFailed: ({ error }) => ['error', { err: error }, 'storage failed'],
  breaker: ({ state }) => ['info', { state }, `the breaker is ${state}`],
  paused: (pause) => ['error', { ...pause }, ADVICE[pause.reason]],
  resumed: () => ['info', {}, 'the service takes events again'],
  rateLimit: ({ perSecond }) => [
    'info',
    { perSecond },
    'the rate of requests follows what the service bears',
  ],
  bodyLimit: ({ bytes }) => ['info', { bytes }, 'the size of bodies follows what the service takes'],
  journal: ({ kind }) => ['warn', { kind }, `events are kept elsewhere: ${kind}`],
  hookFailed: ({ hook, error }) => ['error', { hook, err: error }, `code of the application failed: ${hook}`],
};

/** Writes what is raised to a logger. */
export class EventLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  write(event: keyof TrackerEvents, detail: object): void {
    const line = (LINES[event] as ((detail: object) => Line) | undefined)?.(detail);
    if (line !== undefined) this.#logger[line[0]](line[1], line[2]);
  }
}
