import type { Observer } from './limited-service.ts';

const MINUTE_MS = 60_000;

interface Arrived {
  readonly timestamp: string;
  readonly payload: { readonly client: number; readonly number: number };
}

export interface ObservationOptions {
  /** Clients with a backlog. Those of higher numbers are newcomers: they come when the service is back. */
  readonly clients: number;
  /** From when the service has been away for so long that there is to be no more than a probe now and then. */
  readonly probedFrom: number;
  readonly backAt: number;
}

/** What is seen of an outage at the service: who asks when, what arrives, and how old it is then. */
export class Observation implements Observer {
  readonly #options: ObservationOptions;
  /** For each client how often each of its events arrived. */
  readonly #arrivals: number[][] = [];
  /** For each client its requests of the last minute while the service is away. */
  readonly #probesOf: number[][] = [];
  /** When each client got through for the first time since the end. */
  readonly #returnedAt = new Map<number, number>();
  readonly #seen = new Set<number>();
  #backlog = 0;
  probes = 0;
  mostProbesInAMinute = 0;
  /** Since the end, by second: requests, those refused, and clients that come for the first time. */
  readonly requests: number[] = [];
  readonly refusals: number[] = [];
  readonly returns: number[] = [];
  /** When the last event of before the end arrived. */
  drainedAt: number | undefined;
  /** How old events were when they arrived that were tracked once the client had got through again, while there was a backlog. */
  readonly ages: { readonly own: number[]; readonly newcomers: number[] } = { own: [], newcomers: [] };

  constructor(options: ObservationOptions) {
    this.#options = options;
  }

  /** A client tracks an event. Returns its number. */
  track(client: number, now: number): number {
    const arrivals = this.#arrivals[client] ?? [];
    this.#arrivals[client] = arrivals;
    if (now < this.#options.backAt) this.#backlog += 1;
    return arrivals.push(0) - 1;
  }

  requested(client: number, now: number): void {
    const { backAt, probedFrom } = this.#options;
    if (now >= backAt) {
      count(this.requests, this.#second(now));
      if (!this.#seen.has(client)) count(this.returns, this.#second(now));
      this.#seen.add(client);
    } else if (now >= probedFrom) {
      this.probes += 1;
      const recent = (this.#probesOf[client] ?? []).filter((at) => now - at < MINUTE_MS);
      this.#probesOf[client] = recent;
      this.mostProbesInAMinute = Math.max(this.mostProbesInAMinute, recent.push(now));
    }
  }

  refused(_client: number, now: number): void {
    if (now >= this.#options.backAt) count(this.refusals, this.#second(now));
  }

  taken(client: number, body: Uint8Array, now: number): void {
    if (now >= this.#options.backAt && !this.#returnedAt.has(client)) this.#returnedAt.set(client, now);
    const { batch }: { batch: readonly Arrived[] } = JSON.parse(Buffer.from(body).toString());
    for (const { timestamp, payload } of batch) {
      const arrivals = this.#arrivals[payload.client] ?? [];
      const before = arrivals[payload.number] ?? 0;
      arrivals[payload.number] = before + 1;
      if (before === 0) this.#arrived(Date.parse(timestamp), payload.client, now);
    }
  }

  /** Once nothing is to come any more: what did not arrive, and what arrived again. */
  audit(): { tracked: number; lost: number; duplicates: number } {
    const all = this.#arrivals.flat();
    return {
      tracked: all.length,
      lost: all.filter((arrivals) => arrivals === 0).length,
      duplicates: all.reduce((total, arrivals) => total + Math.max(0, arrivals - 1), 0),
    };
  }

  #arrived(trackedAt: number, client: number, now: number): void {
    const { backAt, clients } = this.#options;
    if (trackedAt >= backAt) {
      const isFresh = trackedAt >= (this.#returnedAt.get(client) ?? now);
      if (isFresh && this.drainedAt === undefined)
        this.ages[client < clients ? 'own' : 'newcomers'].push(now - trackedAt);
      return;
    }
    this.#backlog -= 1;
    if (now >= backAt && this.#backlog === 0) this.drainedAt = now;
  }

  #second(now: number): number {
    return Math.floor((now - this.#options.backAt) / 1_000);
  }
}

function count(bySecond: number[], second: number): void {
  while (bySecond.length <= second) bySecond.push(0);
  bySecond[second] = (bySecond[second] ?? 0) + 1;
}
