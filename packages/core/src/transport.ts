/** One request: a batch body to be posted. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Upper bound for connecting, sending, and the answer with its body, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** What came of a request: an answer, or a failure that says whether the body may have arrived all the same. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** The body's start as text, at most `MAX_ANSWER_BYTES` of it. */
      readonly body: string;
    }
  | {
      readonly kind: 'failed';
      readonly cause: unknown;
      /** False only where it is certain that the service did not get the body: no name, no connection, no TLS. */
      readonly maybeSent: boolean;
    };

/** Posts batches. Never follows a redirect (the key would travel), never rejects, reads a bounded part of the answer. */
export interface Transport {
  post(request: TransportRequest): Promise<Outcome>;
  /** Gives connections back. */
  close(): Promise<void>;
}

/** How much of an answer's body a transport reads, in bytes. */
export const MAX_ANSWER_BYTES: number = 64 * 1024;
