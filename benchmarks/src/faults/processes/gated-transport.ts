import type { Outcome, Transport, TransportRequest } from '@sluice/core';

/** A transport to a real service. While it is closed, requests fail as if nobody listened. */
export class GatedTransport implements Transport {
  isOpen = false;
  readonly #underWay = new Set<Promise<unknown>>();

  async post(request: TransportRequest): Promise<Outcome> {
    if (!this.isOpen) return { kind: 'failed', cause: new Error('the service is away'), maybeSent: false };
    const outcome = send(request);
    this.#underWay.add(outcome);
    await outcome;
    this.#underWay.delete(outcome);
    return outcome;
  }

  /** Resolves once all requests of before are answered. */
  async goAway(): Promise<void> {
    this.isOpen = false;
    await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {}
}

async function send({ url, headers, body, signal }: TransportRequest): Promise<Outcome> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers },
      body: new Uint8Array(body),
      signal,
    });
    return {
      kind: 'answered',
      status: response.status,
      retryAfter: undefined,
      body: await response.text(),
    };
  } catch (cause) {
    return { kind: 'failed', cause, maybeSent: true };
  }
}
