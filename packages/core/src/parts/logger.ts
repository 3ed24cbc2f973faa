import { type Clock, type Redact, redactedError } from '@sluice/protocol/toolbox';
import { attempt } from '../base/user-code.ts';
import type { Tell } from '../tell/reporter.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';

/**
 * A logger like pino: data first, then a message. Any object with these four methods, such as `console`.
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', logger: pino() });
 */
export interface Logger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

const EVERY_MS = 10_000;

/** The events that are written, and at which level. */
const LEVELS: Readonly<Partial<Record<keyof TrackerEvents, keyof Logger>>> = {
  deadLettered: 'warn',
  dropped: 'warn',
  invalid: 'warn',
  recovered: 'info',
  replayed: 'info',
  deadLettersDropped: 'warn',
  damaged: 'warn',
  requestFailed: 'debug',
  storageFailed: 'error',
  breaker: 'info',
  paused: 'error',
  resumed: 'info',
  rateLimit: 'info',
  bodyLimit: 'info',
  storageChanged: 'warn',
  callbackFailed: 'error',
};

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, logger: console, parts: { logger } });
 */
export function logger(
  { debug, logger }: { readonly logger?: Logger | false | undefined; readonly debug?: boolean | undefined },
  clock: Clock,
  redact: Redact,
  onFailed: (callback: string, error: unknown) => void,
): {
  readonly log: Tell | false | undefined;
  /** For the option `debug`: writes each step to the console. */
  readonly steps: Tell | false | undefined;
} {
  const write = logger && limited(logger, clock, redact, (error) => onFailed('logger', error));
  return {
    /** The message is the name of the event in words, with its reason, state or status. */
    log:
      write &&
      ((event, detail) => {
        const level = LEVELS[event as keyof TrackerEvents];
        if (level === undefined) return;
        const { error, ...data }: Record<string, unknown> = { ...detail };
        const { status, field }: Record<string, unknown> = Object(error);
        const which = data.reason ?? data.state ?? data.kind ?? data.callback ?? status ?? data.status;
        const words = `sluice ${event.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
        const message = which === undefined ? words : `${words}: ${which}`;
        write(level, error === undefined ? data : { ...data, status, field, err: error }, message);
      }),
    steps:
      debug &&
      ((event, detail: { readonly error?: Error }) => {
        const text = JSON.stringify({ ...detail, error: detail.error?.message });
        console.debug(redact(`Sluice ${event} ${text}`));
      }),
  };
}

/**
 * Writes to the user's logger, and handles its errors. It never writes the key, and writes each message at most once in ten
 * seconds: the first line at once, and the next one says how many were left out, as `suppressed`. Messages come from a closed
 * set: what differs from line to line is data.
 */
function limited(logger: Logger, clock: Clock, redact: Redact, onFailed: (error: unknown) => void) {
  /** For each message: when it was last written, and how many lines were left out since. */
  const lines = new Map<string, { readonly at: number; suppressed: number }>();
  return (level: keyof Logger, data: object, message: string): void => {
    const now = clock.now();
    const last = lines.get(message);
    // The line is also written if the clock was set back.
    if (last && now >= last.at && now - last.at < EVERY_MS) {
      last.suppressed += 1;
      return;
    }
    // Set before the line is written: the logger may itself cause the next line.
    lines.set(message, { at: now, suppressed: 0 });
    const entries = Object.entries({ ...data, suppressed: last?.suppressed || undefined });
    const said = entries.filter(([, value]) => value !== undefined);
    const safe = () => Object.fromEntries(said.map(([name, value]) => [name, withoutKey(value, redact)]));
    attempt(() => logger[level](safe(), message), onFailed);
  };
}

function withoutKey(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (!(value instanceof Error)) return value;
  const copy = redactedError(value, redact);
  copy.stack = redact(String(value.stack));
  return copy;
}
