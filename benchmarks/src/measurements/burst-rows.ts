import type { Demand } from '../demand.ts';
import { makeRow, type Row } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';
import type { BurstResult } from './burst-run.ts';

const MIB = 1024 * 1024;

/** What is read off a burst. */
export interface BurstFigure {
  readonly title: string;
  readonly unit: string;
  of(result: BurstResult): number;
}

export const DELIVERED: BurstFigure = {
  title: 'delivered',
  unit: 'events/s',
  of: ({ events, elapsedMs }) => events / (elapsedMs / 1000),
};
export const CPU: BurstFigure = {
  title: 'CPU per event',
  unit: 'us',
  of: ({ events, cpuMs }) => (cpuMs * 1000) / events,
};
export const MEMORY: BurstFigure = {
  title: 'peak memory over start',
  unit: 'MiB',
  of: ({ peakBytes }) => peakBytes / MIB,
};
export const DELAY: BurstFigure = {
  title: 'longest event-loop delay',
  unit: 'ms',
  of: ({ longestDelayMs }) => longestDelayMs,
};

export interface BurstRow {
  readonly figure: BurstFigure;
  readonly subject: Subject;
  readonly against?: Subject;
  readonly demand?: Demand;
  /** The row's, where the same figure of the same subject stands in another row already. */
  readonly name?: string;
}

/** The row of a figure of bursts. `resultsOf` gives what was measured, round by round. */
export function burstRow(
  resultsOf: (subject: Subject) => readonly BurstResult[],
  { figure, subject, against, demand, name = `${figure.title}, ${subject.name}` }: BurstRow,
): Row {
  const valuesOf = (one: Subject) => resultsOf(one).map((result) => figure.of(result));
  return makeRow({
    name,
    unit: figure.unit,
    values: valuesOf(subject),
    ...(against && { against: { name: against.name, values: valuesOf(against) } }),
    ...(demand && { demand }),
  });
}
