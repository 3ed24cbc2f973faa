import { abortAfter, type Clock, sleep, untilWoken } from '@sluice/protocol/toolbox';
import { nonsense } from '../../base/user-code.ts';
import type { Outcome, Transport, TransportRequest } from '../../send/http/transport.ts';

/** If a transport gives no outcome within its total time and this long after, its request is aborted. */
const GRACE_MS = 5_000;
/** If it still gives no outcome this long after the abort, nobody waits for it any more. */
const STOP_MS = 1_000;

/** The user's transport, made reliable: each request gets an outcome in time, whatever the transport does. */
export class GuardedTransport implements Transport {
  readonly releasesBody: boolean;
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.releasesBody = transport.releasesBody === true;
    this.#transport = transport;
    this.#clock = clock;
  }

  room(): number {
    try {
      return Number(this.#transport.room?.()) || 0;
    } catch {
      return 0;
    }
  }

  async post(request: TransportRequest): Promise<Outcome> {
    const clock = this.#clock;
    const limit = abortAfter(clock, request.timeouts.totalMs + GRACE_MS, request.signal);
    const { signal } = limit;
    const done = new AbortController();
    const abandoned = async () => {
      await untilWoken(signal, () => () => {});
      await sleep(clock, STOP_MS, done.signal, true);
      throw new Error('the transport gave no outcome in time');
    };
    try {
      const copy = { ...request, headers: { ...request.headers }, signal };
      return checked(await Promise.race([this.#transport.post(copy), abandoned()]));
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      limit.cancel();
      done.abort();
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
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
    retryAfter: retryAfter && String(retryAfter),
    date: date && String(date),
    location: location && String(location),
    body: typeof body === 'string' ? body : '',
    from: from ? String(from) : undefined,
  };
}
