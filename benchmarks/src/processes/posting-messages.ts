export interface PostingSettings {
  readonly baseUrl: string;
  /** Request bodies, one behind the other. */
  readonly path: string;
  /** Bytes of each. */
  readonly lengths: readonly number[];
}

export type PostingTold = { readonly type: 'posted'; readonly elapsedMs: number };
