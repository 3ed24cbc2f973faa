/** What the service answered, as `isNotFound` is given it. Redirects never get there. */
export interface CustomerAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The body's text; empty where it was larger than `maxResponseBytes`. */
  readonly body: string;
  /** The body's value where it is JSON, else undefined. */
  readonly json: unknown;
}
