import type { MeasuredOutage, OutageSize } from '../measured-outage.ts';

/** What a process that measures an outage is to do. */
export interface OutageSettings {
  readonly name: string;
  readonly size: OutageSize;
  readonly seed: number;
}

export type OutageTold = { readonly type: 'measured' } & MeasuredOutage;
