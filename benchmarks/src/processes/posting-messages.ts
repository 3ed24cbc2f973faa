export interface PostingSettings {
  readonly baseUrl: string;
  /** A file of request bodies, one after the other. */
  readonly path: string;
  /** Length of each body, in bytes. */
  readonly lengths: readonly number[];
}

export type PostingTold = { readonly type: 'posted'; readonly elapsedMs: number };
