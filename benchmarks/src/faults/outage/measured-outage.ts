import { createRandom } from '../random.ts';
import { Fleet, type Traffic } from './fleet.ts';
import { LimitedService } from './limited-service.ts';
import { Observation } from './observation.ts';
import type { Outage } from './outages.ts';
import { SharedClock } from './shared-clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How long the service works before the outage. */
const BEFORE_MS = 10 * MINUTE_MS;
/** After this time of the outage, every client has reached its longest wait between requests. */
const SETTLED_MS = 10 * MINUTE_MS;
/** One newcomer for this many clients. Newcomers start when the service is back, and so have no backlog. */
const NEWCOMERS = 20;
const STEP_MS = 10 * SECOND_MS;
const MOST_DRAIN_MS = 60 * MINUTE_MS;

export interface OutageSize {
  readonly clients: number;
  readonly hours: number;
  readonly batchEvents: number;
  /** What each client tracks before and during the outage. */
  readonly away: Traffic;
  /** What it tracks from shortly before the end of the outage. Each time makes one request. */
  readonly back: Traffic;
  /** The capacity of the service, as a multiple of the usual requests. */
  readonly capacity: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** Measurements of one outage. Rates are requests of all clients per second, from its end until the backlog is delivered. */
export interface MeasuredOutage {
  readonly name: string;
  readonly clients: number;
  readonly tracked: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly maybeDuplicate: number;
  readonly bookProblems: readonly string[];
  readonly backlog: number;
  readonly mostProbesInAMinute: number;
  readonly probesPerMinute: number;
  /** Undefined if the backlog was not delivered in time. */
  readonly drainSeconds: number | undefined;
  /** The shortest possible time: the service takes the backlog with all the capacity that usual requests leave. */
  readonly leastDrainSeconds: number;
  readonly returnSeconds: number;
  readonly capacity: number;
  readonly meanRate: number;
  readonly peakRate: number;
  /** The refused part of all requests. */
  readonly refused: number;
  /** The most clients that came back in one second, as a part of all clients. */
  readonly peakReturn: number;
  /** Age on arrival, in milliseconds. Undefined if there was no such event. */
  readonly freshAge: Quantiles | undefined;
  readonly newcomersAge: Quantiles | undefined;
  /** Requests per second, averaged over ten seconds each. */
  readonly curve: readonly number[];
}

/** Simulates one outage with many clients, on its own virtual clock. */
export async function measureOutage(
  outage: Outage,
  { clients, hours, batchEvents, away, back, capacity: times }: OutageSize,
  seed: number,
): Promise<MeasuredOutage> {
  const clock = new SharedClock(seed);
  const random = createRandom(seed);
  const awayAt = clock.now() + BEFORE_MS;
  const backAt = awayAt + hours * 60 * MINUTE_MS;
  const observation = new Observation({ clients, probedFrom: awayAt + SETTLED_MS, backAt });
  const usual = (clients * SECOND_MS) / back.everyMs;
  const capacity = times * usual;
  const service = new LimitedService({
    ...{ clock, random, outage, observer: observation, awayAt, backAt, perSecond: capacity },
  });
  const traffic = (now: number) => (now < backAt - away.everyMs ? away : back);
  const fleet = new Fleet({ clock, random, service, observation, traffic, batchEvents });

  fleet.start(clients);
  await clock.passUntil(backAt);
  const backlog = fleet.pending;
  fleet.start(Math.ceil(clients / NEWCOMERS));
  const giveUpAt = backAt + MOST_DRAIN_MS;
  while (observation.drainedAt === undefined && clock.now() < giveUpAt)
    await clock.passUntil(clock.now() + STEP_MS);
  fleet.stop();
  while (fleet.pending > 0 && clock.now() < giveUpAt) await clock.passUntil(clock.now() + STEP_MS);
  const { maybeDuplicate } = fleet;
  await fleet.close();

  const { drainedAt, ages, probes, mostProbesInAMinute } = observation;
  const seconds = Math.ceil(((drainedAt ?? giveUpAt) - backAt) / SECOND_MS);
  const requests = observation.requests.slice(0, seconds);
  const made = sum(requests);
  return {
    ...{ name: outage.name, clients, returnSeconds: outage.returnSeconds },
    ...observation.audit(),
    ...{ maybeDuplicate, bookProblems: fleet.problems, backlog, capacity, mostProbesInAMinute },
    probesPerMinute: (probes * MINUTE_MS) / clients / (backAt - awayAt - SETTLED_MS),
    drainSeconds: drainedAt === undefined ? undefined : seconds,
    leastDrainSeconds: backlog / batchEvents / (capacity - usual),
    meanRate: made / seconds,
    peakRate: Math.max(...requests),
    refused: sum(observation.refusals.slice(0, seconds)) / made,
    peakReturn: Math.max(...observation.returns) / clients,
    freshAge: quantiles(ages.own),
    newcomersAge: quantiles(ages.newcomers),
    curve: tens(requests),
  };
}

function tens(bySecond: readonly number[]): number[] {
  const count = Math.ceil(bySecond.length / 10);
  return Array.from({ length: count }, (_, index) => sum(bySecond.slice(index * 10, index * 10 + 10)) / 10);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function quantiles(ages: readonly number[]): Quantiles | undefined {
  if (ages.length === 0) return undefined;
  const sorted = [...ages].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
