/** What takes the events of a server: nothing, a loop without any guarantee, or a tracker. */
export type PacedSubject = 'nothing' | 'bare' | 'default';

export interface PacedSettings {
  readonly subject: PacedSubject;
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly seconds: number;
}

export type PacedTold = {
  readonly type: 'measured';
  /** Tracked at the pace, and all in all; what takes nothing has none in all. */
  readonly paced: number;
  readonly tracked: number;
  /** User and system time at the pace. */
  readonly cpuMs: number;
  /** Of the event loop, at the pace. */
  readonly delayP99Ms: number;
};
