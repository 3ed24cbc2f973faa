import type { Tracker } from '@sluice/core';
import { createTracker } from '@sluice/core/testing';
import type { Random } from '../random.ts';
import type { LimitedService } from './limited-service.ts';
import type { Observation } from './observation.ts';
import type { SharedClock } from './shared-clock.ts';

/** Limit of the journal, which is in memory. */
const MOST_BYTES = 2 ** 30;

export interface Traffic {
  readonly events: number;
  readonly everyMs: number;
}

export interface FleetOptions {
  readonly clock: SharedClock;
  readonly random: Random;
  readonly service: LimitedService;
  readonly observation: Observation;
  /** How each client tracks at a given time: `events` at once, every `everyMs` milliseconds. */
  readonly traffic: (now: number) => Traffic;
  readonly batchEvents: number;
}

/** Clients of one service that track all the time. Each has its own tracker. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #trackers: Tracker[] = [];
  #isTracking = true;
  /** Clients whose stats are wrong, one line each. */
  readonly problems: string[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#trackers.length;
  }

  get pending(): number {
    return this.#trackers.reduce((total, tracker) => total + tracker.stats().pending, 0);
  }

  get maybeDuplicate(): number {
    return this.#trackers.reduce((total, tracker) => total + tracker.stats().maybeDuplicate, 0);
  }

  /** Starts this many more clients. Each begins to track at a random time. */
  start(count: number): void {
    const { clock, random, traffic } = this.#options;
    const { everyMs } = traffic(clock.now());
    for (let started = 0; started < count; started += 1) {
      const client = this.#trackers.length;
      this.#trackers.push(this.#createTracker(client));
      clock.setTimeout(() => this.#trackOn(client), random(everyMs));
    }
  }

  /** Stops all tracking. */
  stop(): void {
    this.#isTracking = false;
  }

  /** Checks the stats of all trackers, and closes them. */
  async close(): Promise<void> {
    for (const [client, tracker] of this.#trackers.entries()) {
      const stats = tracker.stats();
      const { accepted, delivered, deadLettered, pending, dropped } = stats;
      const ended = delivered + deadLettered + Object.values(dropped).reduce((sum, count) => sum + count, 0);
      if (accepted !== ended + pending || accepted !== delivered)
        this.problems.push(`the books of client ${client}: ${JSON.stringify(stats)}`);
    }
    await this.#options.clock.passWith(Promise.all(this.#trackers.map((tracker) => tracker.close())));
  }

  #createTracker(client: number): Tracker {
    const { batchEvents, clock, random, service } = this.#options;
    return createTracker({
      logger: false,
      baseUrl: 'http://service.test',
      correlationKey: 'email',
      journal: 'memory',
      batch: { maxEvents: batchEvents },
      buffer: { maxBytes: MOST_BYTES },
      transport: service.connect(client),
      clock,
      random: () => random(2 ** 30) / 2 ** 30,
    });
  }

  #trackOn(client: number): void {
    if (!this.#isTracking) return;
    const { clock, observation, traffic } = this.#options;
    const now = clock.now();
    const { events, everyMs } = traffic(now);
    for (let tracked = 0; tracked < events; tracked += 1) {
      const number = observation.track(client, now);
      this.#trackers[client]?.track('happened', { client, number }, { correlationValue: 'ada@example.com' });
    }
    clock.setTimeout(() => this.#trackOn(client), everyMs);
  }
}
