import { demandTable } from '../figures.ts';
import { type Machine, machineLine } from '../machine.ts';
import type { Measurement } from '../measurements/measurement.ts';
import { plotImage } from '../plots/plot.ts';
import { survivalPlot } from '../plots/survival-plot.ts';
import type { Row } from '../row.ts';
import { countsTable, survivalTable } from './tables.ts';

/** Results of the survival measurement. It takes so long that it is a separate run. */
export interface SurvivalResults {
  readonly rows: readonly Row[];
  readonly measurement: Measurement;
  readonly machine: Machine;
  readonly date: Date;
}

/** The part of benchmarks/results.md that `npm run bench -- --survival` writes. */
export function survivalSection({ rows, measurement, machine, date }: SurvivalResults): string {
  const plot = survivalPlot(rows);
  return [
    `Measured on ${machineLine(machine, date)}.`,
    '',
    ...survivalTable(rows),
    '',
    ...countsTable(rows),
    '',
    ...(plot === undefined ? [] : [plotImage(plot), '']),
    ...demandTable(rows),
    '',
    `- \`${measurement.name}\`: ${measurement.method}`,
  ].join('\n');
}
