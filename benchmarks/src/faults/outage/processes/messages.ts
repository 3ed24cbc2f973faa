import type { MeasuredOutage, OutageSize } from '../measured-outage.ts';

/** Settings of a process that measures an outage. */
export interface OutageSettings {
  readonly name: string;
  readonly size: OutageSize;
  readonly seed: number;
}

export type OutageTold = { readonly type: 'measured' } & MeasuredOutage;
