/** Settings of a process that forwards. */
export interface ForwardingSettings {
  readonly baseUrl: string;
  readonly connectionString: string;
}

/** Its messages. */
export type ForwardingTold =
  | { readonly type: 'ready' }
  /** So many events were delivered since the last message. */
  | { readonly type: 'delivered'; readonly count: number };
