import type { TrackerStats } from '../../src/index.ts';
import type { Made } from './service.ts';

/** Milliseconds from `track()` to the acceptance. What still waits counts with its age. */
interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What a run came to. An innocent event is one that is no culprit. */
export interface Figures {
  readonly tracked: number;
  readonly delivered: number;
  readonly pending: number;
  readonly deadLetters: number;
  readonly dropped: number;
  readonly invalid: number;
  readonly culprits: number;
  readonly innocentDeadLetters: number;
  /** Innocents that were tracked more than 30 s before the end, and are not accepted. */
  readonly late: number;
  /** Share of the innocents that is accepted. */
  readonly share: number;
  readonly delays: Delays;
  /** The same of innocents with high priority. */
  readonly high: Delays;
  readonly requests: number;
  /** All requests, divided by the number of culprits. */
  readonly requestsPerCulprit: number;
  /** How often the service took an event again. */
  readonly duplicates: number;
  /** Innocents that were accepted after a later event of their customer. */
  readonly outOfOrder: number;
  /** Accepted events per second in the last minute. */
  readonly perSecond: number;
  readonly pauses: readonly string[];
  /** How often the breaker opened, and for how long in all, in milliseconds. */
  readonly opened: number;
  readonly openMs: number;
}

/** What a run recorded. All arrays are by the number of the event. */
export interface Recorded {
  readonly now: number;
  readonly trackedAt: readonly number[];
  readonly takenAt: readonly (number | undefined)[];
  readonly isCulprit: (event: number) => boolean;
  readonly isHigh: (event: number) => boolean;
  readonly requests: readonly Made[];
  readonly stats: TrackerStats;
  readonly letters: readonly number[];
  readonly duplicates: number;
  readonly outOfOrder: number;
  readonly pauses: readonly string[];
  readonly opened: number;
  readonly openMs: number;
}

const GRACE_MS = 30_000;
const LAST_MS = 60_000;

/** Works out the figures of a run. */
export function figuresOf(recorded: Recorded): Figures {
  const { isCulprit, isHigh, letters, now, requests, stats, takenAt, trackedAt } = recorded;
  const delays: number[] = [];
  const high: number[] = [];
  let late = 0;
  let taken = 0;
  let recent = 0;
  for (const [event, at] of trackedAt.entries()) {
    const end = takenAt[event];
    if (end !== undefined && end > now - LAST_MS) recent += 1;
    if (isCulprit(event)) continue;
    (isHigh(event) ? high : delays).push((end ?? now) - at);
    if (end !== undefined) taken += 1;
    else if (at < now - GRACE_MS) late += 1;
  }
  const innocents = delays.length + high.length;
  const culprits = trackedAt.length - innocents;
  return {
    tracked: trackedAt.length,
    delivered: stats.delivered,
    pending: stats.pending,
    deadLetters: stats.deadLettered,
    dropped: Object.values(stats.dropped).reduce((sum, count) => sum + count, 0),
    invalid: stats.invalid,
    culprits,
    innocentDeadLetters: letters.filter((event) => !isCulprit(event)).length,
    late,
    share: taken / innocents,
    delays: delaysOf(delays),
    high: delaysOf(high),
    requests: requests.length,
    requestsPerCulprit: requests.length / culprits,
    duplicates: recorded.duplicates,
    outOfOrder: recorded.outOfOrder,
    perSecond: (recent / LAST_MS) * 1_000,
    pauses: recorded.pauses,
    opened: recorded.opened,
    openMs: recorded.openMs,
  };
}

/** One line for a reader. What is nothing is left out. */
export function lineOf(name: string, figures: Figures): string {
  const { culprits, delays, high, innocentDeadLetters, late, pauses, requestsPerCulprit } = figures;
  const parts = [
    `delivered ${figures.delivered} of ${figures.tracked} (${percent(figures.share)} of the innocent)`,
    `tracked to accepted p50 ${seconds(delays.p50)}, p99 ${seconds(delays.p99)}, max ${seconds(delays.max)}`,
    `${figures.requests} requests`,
    `${figures.perSecond.toFixed(figures.perSecond < 10 ? 2 : 0)}/s at the end`,
  ];
  if (high.max > 0) parts.push(`high priority p50 ${seconds(high.p50)}, p99 ${seconds(high.p99)}`);
  if (culprits > 1) parts.push(`${culprits} culprits, ${requestsPerCulprit.toFixed(1)} requests each`);
  if (late > 0) parts.push(`${late} innocents late`);
  if (innocentDeadLetters > 0) parts.push(`${innocentDeadLetters} innocents dead`);
  for (const count of ['pending', 'deadLetters', 'dropped', 'invalid', 'duplicates', 'outOfOrder'] as const)
    if (figures[count] > 0) parts.push(`${count} ${figures[count]}`);
  if (pauses.length > 0) parts.push(`${pauses.length} pauses (${[...new Set(pauses)].join(', ')})`);
  if (figures.opened > 0)
    parts.push(`breaker opened ${figures.opened} times, for ${seconds(figures.openMs)}`);
  return `${name}: ${parts.join('; ')}`;
}

/** Prints a line if the environment variable FIGURES is set. */
export function print(line: string): void {
  if (process.env.FIGURES) process.stdout.write(`${line}\n`);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

/** The values that these shares of the numbers do not exceed; 0 if there are no numbers. */
export function quantiles(numbers: readonly number[], ...shares: readonly number[]): number[] {
  const sorted = Float64Array.from(numbers).sort();
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function delaysOf(numbers: readonly number[]): Delays {
  const [p50 = 0, p99 = 0, max = 0] = quantiles(numbers, 0.5, 0.99, 1);
  return { p50, p99, max };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
