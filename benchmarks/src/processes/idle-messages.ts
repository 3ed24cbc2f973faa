export interface IdleSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  /** Delivered before it is idle. */
  readonly events: number;
  /** How long it is left alone, and then how long it is watched. */
  readonly restMs: number;
  readonly idleMs: number;
}

export type IdleTold = {
  readonly type: 'measured';
  /** That were set and are neither over nor cancelled, those included that do not keep a process alive. */
  readonly timers: number;
  /** User and system time while it was watched. */
  readonly cpuMs: number;
};
