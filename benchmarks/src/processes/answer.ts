/** How the receiver treats a request, instead of taking it and answering 200. */
export type Answer =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** Resets the connection after the whole body has arrived. `takes`: whether the events count as arrived. */
  | { readonly kind: 'reset'; readonly takes: boolean }
  /** Never answers. The client has to give up. */
  | { readonly kind: 'hang'; readonly takes: boolean };
