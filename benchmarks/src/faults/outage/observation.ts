import type { Observer } from './limited-service.ts';

const MINUTE_MS = 60_000;

interface Arrived {
  readonly timestamp: string;
  readonly payload: { readonly client: number; readonly number: number };
}

export interface ObservationOptions {
  /** Clients with a backlog. Those with higher numbers are newcomers: they start when the service is back. */
  readonly clients: number;
  /** From this time on the service has been away for so long that only occasional probes may come. */
  readonly probedFrom: number;
  readonly backAt: number;
}

/** Records an outage as the service sees it: which client asks when, which events arrive, and how old they are. */
export class Observation implements Observer {
  readonly #options: ObservationOptions;
  /** How often each event arrived, by client and number. */
  readonly #arrivals: number[][] = [];
  /** The requests of each client in the last minute, while the service is away. */
  readonly #probesOf: number[][] = [];
  /** When each client first got through after the outage. */
  readonly #returnedAt = new Map<number, number>();
  readonly #seen = new Set<number>();
  #backlog = 0;
  probes = 0;
  mostProbesInAMinute = 0;
  /** By second since the end of the outage: requests, refused requests, and clients that come back. */
  readonly requests: number[] = [];
  readonly refusals: number[] = [];
  readonly returns: number[] = [];
  /** When the last event from before the end of the outage arrived. */
  drainedAt: number | undefined;
  /**
   * Ages on arrival of fresh events, in milliseconds. An event is fresh if its client had already got through again when it
   * tracked the event, and there was still a backlog. It does not matter when the event arrives: a starved one arrives last.
   */
  readonly ages: { readonly own: number[]; readonly newcomers: number[] } = { own: [], newcomers: [] };

  constructor(options: ObservationOptions) {
    this.#options = options;
  }

  /** Records that a client tracks an event. Returns the number of the event. */
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

  /** Counts events that did not arrive, and repeats. Call it once no more events can arrive. */
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
      const isBack = trackedAt >= (this.#returnedAt.get(client) ?? now);
      if (isBack && trackedAt < (this.drainedAt ?? Number.POSITIVE_INFINITY))
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
