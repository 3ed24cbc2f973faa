import type { MeasuredOutage, OutageSize } from '../measured-outage.ts';

/** Settings of a process that measures outages, one after the other. */
export interface OutageSettings {
  readonly names: readonly string[];
  readonly size: OutageSize;
  readonly seed: number;
}

export type OutageTold = { readonly type: 'measured'; readonly outages: readonly MeasuredOutage[] };
