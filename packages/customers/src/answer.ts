/** The answer of the service that `isNotFound` receives. It is not called for redirects. */
export interface CustomerAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The text of the body. Empty if the body was larger than `maxResponseBytes`. */
  readonly body: string;
  /** The parsed body if it is JSON, otherwise undefined. */
  readonly json: unknown;
}
