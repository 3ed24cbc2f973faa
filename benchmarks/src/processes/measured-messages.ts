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
  /** How many events to leave. A process that delivers does not use this. */
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
      /** Resident memory in bytes, sampled during the delivery. */
      readonly memoryCurve: readonly number[];
    };
