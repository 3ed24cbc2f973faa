/** What a process that simulates is to do: schedules `first`, `first + step`, ... below `count`. */
export interface SimulatingSettings {
  readonly seed: number;
  readonly first: number;
  readonly step: number;
  readonly count: number;
  /** How many failed schedules are enough to stop. */
  readonly mostFailures: number;
  /** Where what happens in a failed schedule is written down, if anywhere. */
  readonly logDirectory?: string | undefined;
  /** Where a copy of `@sluice/core` is, to be driven in its place. */
  readonly core?: string | undefined;
}

export type SimulatingTold = { readonly type: 'simulated' } & Simulated;

/** What came of schedules. */
export interface Simulated {
  readonly schedules: number;
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly failures: readonly Failure[];
}

/** A schedule in which something was not as promised. */
export interface Failure {
  readonly schedule: number;
  readonly seed: number;
  readonly problems: readonly string[];
  /** The path of what happened in it, step by step. */
  readonly log?: string | undefined;
}
