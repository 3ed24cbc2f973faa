export interface IdleSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  /** Events to deliver before it is idle. */
  readonly events: number;
  /** How long it is left alone, and then how long it is observed. */
  readonly restMs: number;
  readonly idleMs: number;
}

export type IdleTold = {
  readonly type: 'measured';
  /** Pending timers, including those that do not keep a process alive. */
  readonly timers: number;
  /** User and system time while it was observed. */
  readonly cpuMs: number;
};
