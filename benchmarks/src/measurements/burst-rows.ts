import type { Demand } from '../demand.ts';
import { makeRow, type Row } from '../row.ts';
import type { Size } from '../size.ts';
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

/** What the row of a figure is called, where it is the only one of its subject. */
export function burstName({ title }: BurstFigure, { name }: Subject): string {
  return `${title}, ${name}`;
}

/** A row of Sluice's against another subject's figure, which has a row of its own. */
export function ratioRow(figure: BurstFigure, subject: Subject, against: Subject, demand?: Demand): BurstRow {
  const name = `${burstName(figure, subject)}, against ${against.name}`;
  return { figure, subject, against, name, ...(demand && { demand }) };
}

/** The row of a figure of bursts. `resultsOf` gives what was measured, round by round. */
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
