import type { Row } from '../row.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { backlogPlot } from './backlog-plot.ts';
import { deliveredPlot } from './delivered-plot.ts';
import type { Plot } from './plot.ts';
import { survivalPlot } from './survival-plot.ts';

/** The plots for which there are figures of Node. */
export function plotsOf(rows: readonly Row[]): readonly Plot[] {
  const names = SUBJECTS.map(({ name }) => name);
  return [deliveredPlot(rows, names), backlogPlot(rows)].filter((plot) => plot !== undefined);
}

/** The plots for which there are figures of browsers. */
export function browserPlotsOf(rows: readonly Row[]): readonly Plot[] {
  return [survivalPlot(rows)].filter((plot) => plot !== undefined);
}
