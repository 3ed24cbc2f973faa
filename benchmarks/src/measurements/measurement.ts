import type { Row } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';

/** How to run measurements. */
export interface MeasurementContext {
  readonly rounds: number;
  /** Few events: to check that none is lost, not to measure. */
  readonly isQuick: boolean;
  /** An empty directory, only for this measurement. */
  readonly directory: string;
  /** Node options for the measured processes. */
  readonly execArgv: readonly string[];
  /** Reports progress. */
  readonly tell: (line: string) => void;
}

/** A measurement. Throws if an event is lost or arrives twice: such a figure is worth nothing. */
export interface Measurement {
  readonly name: string;
  /** How it is measured, as text for the results. */
  readonly method: string;
  /** The subjects that it measures. The results show their configurations. */
  readonly subjects?: readonly Subject[];
  run(context: MeasurementContext): Promise<readonly Row[]>;
}
