export interface EmulatorSettings {
  /** A data directory; undefined for memory. */
  readonly data: string | undefined;
}

export type EmulatorTold = {
  readonly type: 'ready';
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly pagesUrl: string;
  /** Duration of startEmulator(). */
  readonly startMs: number;
};

export type EmulatorAsked = { readonly type: 'close' };

export interface FeedingSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly events: number;
}

export type FeedingTold = {
  readonly type: 'fed';
  readonly elapsedMs: number;
  /** How long each request took, in milliseconds. */
  readonly requestMs: readonly number[];
};
