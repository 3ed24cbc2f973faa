import type { Row } from '../row.ts';
import type { Size } from '../size.ts';
import type { Subject } from '../subjects/subject.ts';
import { type BurstRow, burstRow } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import type { MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const WARM_UP_SHARE = 0.1;
/** Part of the events of a full run. */
export const QUICK_SHARE = 0.1;

/**
 * Bursts of one size through some subjects. Ratios are made only within a comparison, so that both sides have the same number of
 * events and the same warm-up.
 */
export interface Comparison {
  readonly size: Size;
  /** In this order. Every second round is in reverse. */
  readonly subjects: readonly Subject[];
  readonly rows: readonly BurstRow[];
}

/** The comparison that these rows need. A tenth as many events are delivered first, as warm-up. */
export function comparisonOf(events: number, rows: readonly BurstRow[]): Comparison {
  const subjects = rows.flatMap(({ subject, against }) => (against ? [subject, against] : [subject]));
  return { size: { events, warmUp: events * WARM_UP_SHARE }, subjects: [...new Set(subjects)], rows };
}

/** Measures both sides of all ratios in the same rounds. */
export async function compare(
  { size, subjects, rows }: Comparison,
  context: MeasurementContext,
): Promise<readonly Row[]> {
  const share = context.isQuick ? QUICK_SHARE : 1;
  const run = { events: size.events * share, warmUp: size.warmUp * share };
  const resultsOf = await inRounds(context.rounds, subjects, (subject, round) =>
    runBurst(subject, { ...context, ...run, round }),
  );
  return rows.map((row) => burstRow(resultsOf, run, row));
}
