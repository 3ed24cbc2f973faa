import { setTimeout } from 'node:timers/promises';
import type { Outcome, Transport, TransportRequest } from '@sluice/core';
import { UndiciTransport, type UndiciTransportOptions } from '@sluice/core/undici-transport';

/** How fast events may be sent. */
export interface Pace {
  readonly perSecond: number;
  /** How many events a request has at most. */
  readonly mostEvents: number;
  /** How many events reached their end so far. */
  readonly ended: () => number;
  /** No request starts after this aborts: one that begins just before the process ends is cut, and sent again by the next. */
  readonly signal: AbortSignal;
}

/** Makes a request no sooner than the pace allows after the one before, also after a long pause. For one request at a time. */
export class PacedTransport implements Transport {
  readonly releasesBody: boolean;
  readonly #inner: UndiciTransport;
  readonly #pace: Pace;
  #last: { readonly at: number; readonly ended: number } | undefined;

  constructor(options: UndiciTransportOptions, pace: Pace) {
    this.#inner = new UndiciTransport(options);
    this.releasesBody = this.#inner.releasesBody;
    this.#pace = pace;
  }

  get isUnanswered(): boolean | undefined {
    return this.#inner.isUnanswered;
  }

  async post(request: TransportRequest): Promise<Outcome> {
    const { perSecond, mostEvents, ended, signal } = this.#pace;
    const now = Date.now();
    // The first one waits as if there had been a full one before: so the whole delivery is not faster than allowed, either.
    const { at, ended: endedThen } = this.#last ?? { at: now, ended: ended() - mostEvents };
    const dueAt = at + ((ended() - endedThen) * 1_000) / perSecond;
    try {
      await setTimeout(Math.max(0, dueAt - now), undefined, {
        signal: AbortSignal.any([signal, request.signal]),
      });
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: false };
    }
    this.#last = { at: Date.now(), ended: ended() };
    return this.#inner.post(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
