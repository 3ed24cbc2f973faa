import type { Demand } from '../demand.ts';
import { makeRow, type Row } from '../row.ts';
import type { Size } from '../size.ts';
import type { Subject } from '../subjects/subject.ts';
import type { BurstResult } from './burst-run.ts';

const MIB = 1024 * 1024;

/** A figure of a burst. */
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
  /** Name of the row. Needed if another row shows the same figure of the same subject. */
  readonly name?: string;
}

/** Name of the row, if the subject has only one row with this figure. */
export function burstName({ title }: BurstFigure, { name }: Subject): string {
  return `${title}, ${name}`;
}

/** A row with Sluice's figure and its ratio to the figure of another subject, which has a row of its own. */
export function ratioRow(figure: BurstFigure, subject: Subject, against: Subject, demand?: Demand): BurstRow {
  const name = `${burstName(figure, subject)}, against ${against.name}`;
  return { figure, subject, against, name, ...(demand && { demand }) };
}

/** The row of a figure. `resultsOf` returns the results of a subject, round by round. */
export function burstRow(
  resultsOf: (subject: Subject) => readonly BurstResult[],
  size: Size,
  { figure, subject, against, demand, name = burstName(figure, subject) }: BurstRow,
): Row {
  const valuesOf = (one: Subject) => resultsOf(one).map((result) => figure.of(result));
  return makeRow({
    name,
    unit: figure.unit,
    values: valuesOf(subject),
    size,
    ...(against && { against: { name: against.name, values: valuesOf(against) } }),
    ...(demand && { demand }),
  });
}
