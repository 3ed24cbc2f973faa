import type { Logger } from '@sluice/core';
import { type Clock, type Redact, redactedError, rootMessage } from '@sluice/protocol/toolbox';

/** Each failure is logged at most once in this time. */
const EVERY_MS = 10_000;

/** Tells the logger what failed. Never throws. */
export type FailureLog = (error: unknown, message: string) => void;

interface FailureLogOptions {
  readonly clock: Clock;
  /** Default: the console. */
  readonly logger?: Logger | undefined;
  readonly redact: Redact;
}

/** A log for messages of a closed set. A logger that fails ends no request, and not the process. */
export function failureLog({ clock, logger, redact }: FailureLogOptions): FailureLog {
  const loggedAt = new Map<string, number>();
  const write = async (err: Error, message: string) =>
    logger ? logger.error({ err }, message) : console.error(`${message}: ${rootMessage(err)}`);
  return (error, message) => {
    const now = clock.now();
    // The clock may have been set back.
    if (Math.abs(now - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY)) < EVERY_MS) return;
    loggedAt.set(message, now);
    write(redactedError(error, redact), message).catch(() => undefined);
  };
}
