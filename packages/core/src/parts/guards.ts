import {
  abortAfter,
  type Clock,
  type Redact,
  redactedError,
  sleep,
  tried,
  untilWoken,
} from '@sluice/protocol/toolbox';
import { nonsense } from '../base/user-code.ts';
import type { Outcome, Transport, TransportRequest } from '../send/http/transport.ts';

/** If a transport gives no outcome within its total time and this long after, its request is aborted. */
const GRACE_MS = 5_000;
/** If it still gives no outcome this long after the abort, nobody waits for it any more. */
const STOP_MS = 1_000;

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, transport, parts: { guards } });
 */
export function guards(
  transport: Transport | undefined,
  clock: Clock,
  redact: Redact,
): {
  readonly transport: Transport | undefined;
  /** Removes the API key from the cause of a failed request. What browsers say of one never has it. */
  readonly safeCause: (cause: unknown) => unknown;
} {
  return {
    transport: transport && guarded(transport, clock),
    safeCause: (cause) => redactedError(cause, redact),
  };
}

/** The user's transport, made reliable: each request gets an outcome in time, whatever the transport does. */
function guarded(transport: Transport, clock: Clock): Transport {
  /** Rejects if the outcome does not come in time. */
  async function abandoned(aborted: AbortSignal, done: AbortSignal): Promise<never> {
    await untilWoken(aborted, () => () => {});
    await sleep(clock, STOP_MS, done, true);
    throw new Error('the transport gave no outcome in time');
  }

  async function post(request: TransportRequest): Promise<Outcome> {
    const limit = abortAfter(clock, request.timeouts.totalMs + GRACE_MS, request.signal);
    const { signal } = limit;
    const done = new AbortController();
    try {
      const copy = { ...request, headers: { ...request.headers }, signal };
      return checked(await Promise.race([transport.post(copy), abandoned(signal, done.signal)]));
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      limit.cancel();
      done.abort();
    }
  }

  return {
    releasesBody: transport.releasesBody === true,
    post,
    room: () => tried(() => Number(transport.room?.())) || 0,
    close: async () => transport.close(),
  };
}

/** Checks an outcome, because the user's transport may return anything. Throws if it is not an outcome. */
function checked(given: Outcome): Outcome {
  const { kind, status, retryAfter, date, location, body, from, cause, maybeSent, isBlocked } = Object(given);
  if (kind === 'failed') return { kind, cause, maybeSent: maybeSent !== false, isBlocked: !!isBlocked };
  if (kind !== 'answered' || !Number.isInteger(status))
    throw nonsense('the transport must return an Outcome', given);
  return {
    kind,
    status,
    retryAfter: textOf(retryAfter),
    date: textOf(date),
    location: textOf(location),
    body: typeof body === 'string' ? body : '',
    from: textOf(from),
  };
}

/** A header that cannot be read is absent, as `Number(headers['retry-after'])` is NaN: the status counts. */
function textOf(header: unknown): string | undefined {
  return header ? tried(() => String(header)) : undefined;
}
