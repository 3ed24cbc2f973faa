import type { Row } from '../row.ts';
import { backlogPlot } from './backlog-plot.ts';
import { deliveredPlot } from './delivered-plot.ts';
import type { Plot } from './plot.ts';

/** The plots of the measurements in Node, if there are figures for them. */
export function plotsOf(rows: readonly Row[]): readonly Plot[] {
  return [deliveredPlot(rows), backlogPlot(rows)].filter((plot) => plot !== undefined);
}
