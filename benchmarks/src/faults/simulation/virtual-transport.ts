import type { DeliveryPolicy, Outcome, Transport, TransportRequest } from '@sluice/core';
import type { Agenda } from './agenda.ts';
import type { Log } from './log.ts';
import type { Model } from './model.ts';
import type { NetworkWeather, Turn } from './network-weather.ts';
import type { Pace } from './pace.ts';
import type { VirtualProcess } from './virtual-process.ts';
import type { VirtualService } from './virtual-service.ts';

export interface VirtualTransportOptions {
  readonly agenda: Agenda;
  readonly pace: Pace;
  readonly process: VirtualProcess;
  /** Number of the application. */
  readonly client: number;
  readonly policy: DeliveryPolicy;
  readonly weather: NetworkWeather;
  readonly service: VirtualService;
  readonly model: Model;
  readonly log: Log;
}

/** They say that the service does not work, or has too much to do. */
const WAITS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const ABORTED = new Error('aborted');
const TIMED_OUT = new Error('timed out');
const RESET = new Error('reset');
const REFUSED = new Error('refused');

/** The network, as one process uses it. A request on its way arrives even if the process has given up or died. */
export class VirtualTransport implements Transport {
  readonly #options: VirtualTransportOptions;

  constructor(options: VirtualTransportOptions) {
    this.#options = options;
  }

  post({ body, headers, timeouts, signal }: TransportRequest): Promise<Outcome> {
    const { agenda, pace, process, weather } = this.#options;
    const exchange = new Exchange(this.#options);
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        timer.cancel();
        forget();
        signal.removeEventListener('abort', abort);
        exchange.end(outcome);
        resolve(outcome);
      };
      const fail = (cause: Error) => end({ kind: 'failed', cause, maybeSent: exchange.isSent });
      const abort = () => fail(ABORTED);
      const forget = process.onEnd(abort);
      const timer = agenda.add(timeouts.totalMs, () => process.deliver(() => fail(TIMED_OUT)));
      signal.addEventListener('abort', abort);
      if (process.isDead || signal.aborted) return abort();
      const turn = weather.next(Object.values(headers).join());
      agenda.add(pace(), () => {
        const outcome = exchange.arrive(body, turn);
        if (outcome !== undefined) agenda.add(pace(), () => process.deliver(() => end(outcome)));
      });
    });
  }

  async close(): Promise<void> {}
}

/** One request and its answer. */
class Exchange {
  readonly #options: VirtualTransportOptions;
  #taken: readonly string[] = [];
  #outcome: Outcome | undefined;
  isSent = true;

  constructor(options: VirtualTransportOptions) {
    this.#options = options;
  }

  /** The request reaches the service. Returns what comes back, or undefined for nothing. */
  arrive(body: Uint8Array, turn: Turn): Outcome | undefined {
    const { client, service, log } = this.#options;
    const text = Buffer.from(body).toString();
    // A request that was given up may arrive late, and out of order.
    const sender = this.#outcome === undefined ? client : undefined;
    const { uuids, refusal } = turn.takes ? service.receive(text, sender) : { uuids: [] };
    log?.(`service: ${JSON.stringify(turn)}; ${refusal ?? 'takes'} ${JSON.stringify(uuids)}`);
    if (refusal === undefined) this.#taken = uuids;
    this.#note();
    if (turn.kind !== 'answer') this.#failed(text);
    switch (turn.kind) {
      case 'silence':
        return undefined;
      case 'reset':
        return { kind: 'failed', cause: RESET, maybeSent: true };
      case 'not sent':
        return { kind: 'failed', cause: REFUSED, maybeSent: false };
      case 'answer': {
        const status = refusal ?? ('status' in turn ? turn.status : 200);
        this.#refuse(status, text);
        const retryAfter = 'status' in turn ? turn.retryAfter : undefined;
        return { kind: 'answered', status, retryAfter, body: '' };
      }
    }
  }

  /** The answer may be a reason to end the events without delivering them. */
  #refuse(status: number, text: string): void {
    const { model, policy } = this.#options;
    if (status < 300) return;
    const batch = this.#failed(text);
    const action = policy[status] ?? policy[`${Math.floor(status / 100)}xx`];
    if (batch.length === 1 && (action === 'drop' || !WAITS.has(status))) model.refusedAlone(status);
    if (action === 'drop' || action === 'accept') model.refused(batch.map(({ uuid }) => uuid));
  }

  /** Returns its events. */
  #failed(text: string): readonly { readonly uuid: string }[] {
    const batch = this.#options.service.read(text);
    const [first, second] = batch;
    if (first && !second) this.#options.model.failedAlone(first.uuid);
    return batch;
  }

  /** The client knows the outcome, or has given up. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#note();
  }

  /** Events that were taken without a confirmation may arrive again. */
  #note(): void {
    const outcome = this.#outcome;
    if (outcome === undefined || (outcome.kind === 'answered' && outcome.status === 200)) return;
    for (const uuid of this.#taken) this.#options.model.mayComeAgain(uuid);
  }
}
