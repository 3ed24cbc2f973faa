/** Settings of a process that simulates. It runs the schedules `first`, `first + step`, ... below `count`. */
export interface SimulatingSettings {
  readonly seed: number;
  readonly first: number;
  readonly step: number;
  readonly count: number;
  /** The process stops after this many failed schedules. */
  readonly mostFailures: number;
  /** Directory for the logs of failed schedules. Undefined: no logs. */
  readonly logDirectory?: string | undefined;
  /** Directory of a copy of `@sluice/core`, to be used in its place. */
  readonly core?: string | undefined;
}

export type SimulatingTold = { readonly type: 'simulated' } & Simulated;

/** The results of schedules. */
export interface Simulated {
  readonly schedules: number;
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly failures: readonly Failure[];
}

/** A schedule that broke a rule. */
export interface Failure {
  readonly schedule: number;
  readonly seed: number;
  readonly problems: readonly string[];
  /** Path of its log, which has every step. */
  readonly log?: string | undefined;
}
