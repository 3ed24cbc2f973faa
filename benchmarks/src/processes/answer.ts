/** What the receiver does with a request, besides taking it and answering 200. */
export type Answer =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** Cuts the connection once the whole body is there; `takes` says whether the events count as arrived. */
  | { readonly kind: 'reset'; readonly takes: boolean }
  /** Says nothing until the client gives up. */
  | { readonly kind: 'hang'; readonly takes: boolean };
