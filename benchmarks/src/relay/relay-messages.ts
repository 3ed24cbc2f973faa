export interface RelaySettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly directory: string;
}

export type RelayTold = {
  readonly type: 'ready';
  readonly url: string;
  /** A server that reads each request and answers 202, and does nothing else. */
  readonly bareUrl: string;
};
