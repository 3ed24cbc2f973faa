import type { Row } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';

/** How measurements are run. */
export interface MeasurementContext {
  readonly rounds: number;
  /** To see that nothing is lost, not to measure: few events. */
  readonly isQuick: boolean;
  /** An empty directory of its own. */
  readonly directory: string;
  /** Options of Node for the processes that are measured. */
  readonly execArgv: readonly string[];
  /** Says what is going on. */
  readonly tell: (line: string) => void;
}

/** Something that is measured. Throws where an event is lost or arrives twice: such a figure is worth nothing. */
export interface Measurement {
  readonly name: string;
  /** How it is measured, for the results: one sentence or two. */
  readonly method: string;
  /** What it measures, whose configurations belong to the results. */
  readonly subjects?: readonly Subject[];
  run(context: MeasurementContext): Promise<readonly Row[]>;
}
