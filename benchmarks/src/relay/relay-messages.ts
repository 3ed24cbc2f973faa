export interface RelaySettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly directory: string;
}

/** The message of a relay, or of the bare server. */
export type RelayTold = { readonly type: 'ready'; readonly url: string };
