import { abortAfter, type Clock, type Timer } from '../../base/clock.ts';
import { nonsense } from '../../base/user-code.ts';
import type { Outcome, Transport, TransportRequest } from '../../send/http/transport.ts';

/** A transport that gives no outcome so long after its time is not waited for. */
const GRACE_MS = 5_000;
/** Nor one that does not end so long after it was told to. */
const STOP_MS = 1_000;

/** A transport of the user's, held to its word: there is an outcome for each request, in time, whatever that one does. */
export class GuardedTransport implements Transport {
  readonly releasesBody: boolean;
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.releasesBody = transport.releasesBody === true;
    this.#transport = transport;
    this.#clock = clock;
  }

  async post(request: TransportRequest): Promise<Outcome> {
    const clock = this.#clock;
    const limit = abortAfter(clock, request.timeouts.totalMs + GRACE_MS, request.signal);
    const { signal } = limit;
    let timer: Timer | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      const abandon = () => {
        const give = () => reject(new Error('the transport gave no outcome in its time'));
        timer = clock.setTimeout(give, STOP_MS, true);
      };
      if (signal.aborted) abandon();
      else signal.addEventListener('abort', abandon);
    });
    try {
      const copy = { ...request, headers: { ...request.headers }, signal };
      return checked(await Promise.race([this.#transport.post(copy), abandoned]));
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      limit.cancel();
      timer?.cancel();
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
}

/** An outcome as it must be: a transport of the user's own may return anything. Throws where nothing can be made of it. */
function checked(given: Outcome): Outcome {
  const { kind, status, retryAfter, body, from, cause, maybeSent } = Object(given);
  if (kind === 'failed') return { kind, cause, maybeSent: maybeSent !== false };
  if (kind !== 'answered' || !Number.isInteger(status))
    throw nonsense('the transport must return an Outcome', given);
  return {
    kind,
    status,
    retryAfter: retryAfter && String(retryAfter),
    body: typeof body === 'string' ? body : '',
    from: from ? String(from) : undefined,
  };
}
