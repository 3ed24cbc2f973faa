import { setTimeout } from 'node:timers/promises';
import type { Outcome, Transport, TransportRequest } from '@sluice/core';
import { UndiciTransport, type UndiciTransportOptions } from '@sluice/core/undici-transport';

/** Makes one request at a time, no sooner than the rate allows. */
export class PacedTransport implements Transport {
  readonly releasesBody: boolean;
  readonly #inner: UndiciTransport;
  readonly #perSecond: number;
  readonly #delivered: () => number;
  readonly #startedAt = Date.now();

  /**
   * @param perSecond How many events may be delivered in a second.
   * @param delivered How many were delivered so far.
   */
  constructor(options: UndiciTransportOptions, perSecond: number, delivered: () => number) {
    this.#inner = new UndiciTransport(options);
    this.releasesBody = this.#inner.releasesBody;
    this.#perSecond = perSecond;
    this.#delivered = delivered;
  }

  get isUnanswered(): boolean | undefined {
    return this.#inner.isUnanswered;
  }

  async post(request: TransportRequest): Promise<Outcome> {
    const dueAt = this.#startedAt + (this.#delivered() * 1_000) / this.#perSecond;
    try {
      await setTimeout(Math.max(0, dueAt - Date.now()), undefined, { signal: request.signal });
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: false };
    }
    return this.#inner.post(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
