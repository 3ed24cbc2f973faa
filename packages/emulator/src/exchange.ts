import type { Account } from './account.ts';
import type { Behaviour } from './behaviour.ts';
import type { RefusalBody } from './refusal.ts';
import type { BatchOutcome, ReceivedEvent } from './storage/event-store.ts';
import type { KeptRequest } from './storage/request-store.ts';

/** What is known of a request when it arrives. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string | undefined;
}

/** One request to the interface, from its arrival until it is stored. */
export class Exchange {
  /** The behaviour that serves it, even if the settings change meanwhile. */
  readonly behaviour: Behaviour;
  keyId: number | null = null;
  /** Number of its events; null until they were counted. */
  events: number | null = null;
  /** Why it was refused, or why events of it were left out. */
  error: RefusalBody['error'] | null = null;
  /** The faults that acted on it, in words. */
  faults: readonly string[] = [];
  /** Whether the connection is cut instead of an answer. */
  isCut = false;
  readonly #account: Account;
  readonly #arrival: Arrival;
  readonly #receivedAt = Date.now();
  readonly #startedAt = performance.now();
  #bytes = 0;
  #isKept = false;

  constructor(account: Account, behaviour: Behaviour, arrival: Arrival) {
    this.#account = account;
    this.behaviour = behaviour;
    this.#arrival = arrival;
  }

  /** Counts bytes of its body that have arrived. */
  came(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Stores its events and the request itself. `status` is the status of the answer that will follow. */
  ingest(batch: readonly ReceivedEvent[], status: number): BatchOutcome {
    const outcome = this.#account.ingest(batch, (outcome) => this.#toKept(status, outcome));
    this.#isKept = true;
    return outcome;
  }

  /** Stores the request, unless that is already done. `status` is the status of its answer. */
  end(status: number): void {
    if (this.#isKept) return;
    this.#isKept = true;
    this.#account.keepRequest(this.#toKept(status));
  }

  #toKept(status: number, outcome?: BatchOutcome): KeptRequest {
    return {
      ...this.#arrival,
      userAgent: this.#arrival.userAgent ?? null,
      receivedAt: this.#receivedAt,
      status: this.isCut ? null : status,
      durationMs: performance.now() - this.#startedAt,
      bytes: this.#bytes,
      events: this.events,
      repeated: outcome?.repeated ?? null,
      firstEvent: outcome?.firstEvent ?? null,
      keyId: this.keyId,
      error: this.error,
      fault: this.faults.length === 0 ? null : this.faults.join('; '),
    };
  }
}
