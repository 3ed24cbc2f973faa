import type { Outcome, Transport, TransportRequest } from '@sluice/core';

/** A transport to a real service. While it is closed, requests fail as if nobody listened. */
export class GatedTransport implements Transport {
  isOpen = false;

  async post({ url, headers, body, signal }: TransportRequest): Promise<Outcome> {
    if (!this.isOpen) return { kind: 'failed', cause: new Error('the service is away'), maybeSent: false };
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

  async close(): Promise<void> {}
}
