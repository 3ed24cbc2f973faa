/** The receiver of a server's events: nothing, a loop without any guarantee, or a tracker. */
export type PacedSubject = 'nothing' | 'bare' | 'default';

export interface PacedSettings {
  readonly subject: PacedSubject;
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly seconds: number;
}

export type PacedTold = {
  readonly type: 'measured';
  /** Events tracked at the pace; and all tracked events, which are 0 for `nothing`. */
  readonly paced: number;
  readonly tracked: number;
  /** User and system time while tracking at the pace. */
  readonly cpuMs: number;
  /** Delay of the event loop while tracking at the pace. */
  readonly delayP99Ms: number;
};
