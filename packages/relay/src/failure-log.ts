import type { Logger } from '@sluice/core';
import { type Clock, type Redact, redactedError, rootMessage } from '@sluice/protocol/toolbox';

/** Each failure is logged at most once in this time. */
const EVERY_MS = 10_000;
/** So many causes of a message are logged in this time: some differ each time, as by the id of a request. */
const MOST_CAUSES = 8;

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
  /** When each cause of a message was logged. */
  const logged = new Map<string, Map<string, number>>();
  // What a page or the service wrote must not look like a line of its own.
  const shown = (err: Error) => rootMessage(err).replace(/[\p{Cc}\s]+/gu, ' ');
  const write = async (err: Error, message: string) =>
    logger ? logger.error({ err }, message) : console.error(`${message}: ${shown(err)}`);
  return (error, message) => {
    const now = clock.now();
    const err = redactedError(error, redact);
    const cause = rootMessage(err);
    const causes = logged.get(message) ?? new Map<string, number>();
    // The clock may have been set back.
    for (const [known, at] of causes) if (Math.abs(now - at) >= EVERY_MS) causes.delete(known);
    if (causes.has(cause) || causes.size >= MOST_CAUSES) return;
    logged.set(message, causes.set(cause, now));
    write(err, message).catch(() => undefined);
  };
}
