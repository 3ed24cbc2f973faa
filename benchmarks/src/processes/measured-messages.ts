import type { Size } from '../size.ts';

export type TrackSubject = 'stringify' | 'default';

export interface TrackSettings extends Size {
  readonly subject: TrackSubject;
  readonly baseUrl: string;
  readonly journalDirectory: string;
}

export type TrackTold = { readonly type: 'measured'; readonly nsPerEvent: number };

export interface BacklogSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  /** To leave; a process that delivers finds out by itself how many there are. */
  readonly events: number;
}

export type BacklogTold =
  | { readonly type: 'left' }
  | {
      readonly type: 'delivered';
      /** On the clock that all processes share. */
      readonly createdAt: number;
      readonly deliveredAt: number;
      readonly peakBytes: number;
      /** Bytes held, sampled as long as it delivered. */
      readonly memoryCurve: readonly number[];
    };
