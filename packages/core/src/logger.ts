import { type Redact, redactedError } from '@sluice/protocol';
import type { Clock } from './clock.ts';

/** A logger of pino's shape: data first, then a message. Anything that has these four methods. */
export interface Logger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** Of one message no more than one line is written in this time. */
const EVERY_MS = 10_000;

interface Line {
  readonly at: number;
  suppressed: number;
}

export interface LogOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Takes the key out of a text. */
  readonly redact: Redact;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Writes to the user's logger, whatever that does: no key, and of each message one line in ten seconds. The first is written at
 * once; the next one after others that were not says how many, as `suppressed`. Messages come from a closed set: what
 * differs from line to line is data.
 */
export class Log implements Logger {
  readonly #options: LogOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: LogOptions) {
    this.#options = options;
  }

  debug(data: object, message: string): void {
    this.#write('debug', data, message);
  }

  info(data: object, message: string): void {
    this.#write('info', data, message);
  }

  warn(data: object, message: string): void {
    this.#write('warn', data, message);
  }

  error(data: object, message: string): void {
    this.#write('error', data, message);
  }

  #write(level: keyof Logger, data: object, message: string): void {
    const { clock, logger, onFailed } = this.#options;
    const now = clock.now();
    const last = this.#lines.get(message);
    // Not where the time of day was set back.
    if (last !== undefined && now >= last.at && now - last.at < EVERY_MS) {
      last.suppressed += 1;
      return;
    }
    // Before it is written: a logger may cause what it is told of.
    this.#lines.set(message, { at: now, suppressed: 0 });
    const suppressed = last?.suppressed;
    try {
      const safe = { ...this.#redacted(data), ...(suppressed && { suppressed }) };
      Promise.resolve(logger[level](safe, message)).catch(onFailed);
    } catch (error) {
      onFailed(error);
    }
  }

  #redacted(data: object): object {
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, this.#safe(value)]));
  }

  #safe(value: unknown): unknown {
    const { redact } = this.#options;
    if (typeof value === 'string') return redact(value);
    if (!(value instanceof Error)) return value;
    const copy = redactedError(value, redact);
    copy.stack = redact(String(value.stack));
    return copy;
  }
}
