import type { IncomingMessage } from 'node:http';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type { RefusalBody } from '../events/refusal.ts';
import { ExchangeContent } from '../events/request-contents.ts';
import type { ReceivedEvent } from '../events/tracked-events.ts';
import type { Account } from '../running/account.ts';
import type { BatchOutcome } from '../storage/event-store.ts';
import type { KeptRequest } from '../storage/request-store.ts';
import { type Answer, respond } from './answers.ts';

/** What is known of a request when it arrives. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string | undefined;
  /** Undefined for what is not a valid HTTP request. */
  readonly incoming: IncomingMessage | undefined;
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
  readonly #content: ExchangeContent | undefined;
  #id: number | undefined;

  constructor(account: Account, behaviour: Behaviour, arrival: Arrival) {
    this.#account = account;
    this.behaviour = behaviour;
    this.#arrival = arrival;
    this.#content = arrival.incoming && new ExchangeContent(arrival.incoming);
  }

  /** Takes a part of its body that has arrived. */
  came(chunk: Buffer): void {
    this.#content?.came(chunk);
  }

  /** Answers, and keeps what was answered. */
  respond(answer: Answer): Response {
    if (this.#content !== undefined) this.#content.answer = answer;
    return respond(answer);
  }

  /** Stores its events and the request itself. `status` is the status of the answer that will follow. */
  async ingest(batch: readonly ReceivedEvent[], status: number): Promise<BatchOutcome> {
    const outcome = await this.#account.ingest(batch, (stored) => this.#toKept(status, stored));
    this.#id = outcome.requestId;
    return outcome;
  }

  /** Stores the request, unless that is already done, and its content. `status` is the status of its answer. */
  end(status: number): void {
    this.#id ??= this.#account.keepRequest(this.#toKept(status));
    if (this.#content === undefined || this.#id === undefined) return;
    if (this.isCut) this.#content.answer = undefined;
    this.#account.contents.add(this.#id, this.#content, this.error !== null);
    this.#content.readRest();
  }

  #toKept(status: number, outcome?: BatchOutcome): KeptRequest {
    const { method, path, userAgent = null } = this.#arrival;
    return {
      ...{ method, path, userAgent },
      receivedAt: this.#receivedAt,
      status: this.isCut ? null : status,
      durationMs: performance.now() - this.#startedAt,
      bytes: this.#content?.size ?? null,
      events: this.events,
      repeated: outcome?.repeated ?? null,
      firstEvent: outcome?.firstEvent ?? null,
      keyId: this.keyId,
      error: this.error,
      fault: this.faults.length === 0 ? null : this.faults.join('; '),
    };
  }
}
