/** Bounds of one request, in milliseconds. */
export interface Timeouts {
  /** Connecting, TLS included, or waiting for a connection that is free. A transport that cannot tell it apart counts it in `headersMs`. */
  readonly connectMs: number;
  /** From the connection, or where that is not known from the start, until the status of the answer is there. */
  readonly headersMs: number;
  /** Reading the body. The answer counts all the same, with as much of its body as came. */
  readonly bodyMs: number;
  /** All of it, sending included. */
  readonly totalMs: number;
}

/**
 * How a request outlives its page. `keepalive`: it is made at once, and its answer seen if the page lives on. `later`: the
 * browser makes it once the page is gone, and nobody sees an answer.
 */
export type Outliving = 'keepalive' | 'later';

/** One request: a batch body to be posted. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeouts: Timeouts;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Left out where the page, or the process, is there until the answer comes. */
  readonly outlives?: Outliving | undefined;
}

/** What came of a request: an answer, or a failure that says whether the body may have arrived all the same. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** The body's start as text, at most `MAX_ANSWER_BYTES` of it. */
      readonly body: string;
      /** Where the answer comes from, if not from where the request went: the site's own service worker may answer with another page. */
      readonly from?: string | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly cause: unknown;
      /** False only where it is certain that the service did not get the body: no name, no connection, no TLS. */
      readonly maybeSent: boolean;
      /** Whether something on this side lets no request through to the service, as an ad-blocker. */
      readonly isBlocked?: boolean;
    };

/** Posts batches. Never follows a redirect (the key would travel), never rejects, reads a bounded part of the answer. */
export interface Transport {
  /**
   * Whether nothing reads `request.body` any more once `post()` has resolved to an answer: then the same memory may hold
   * another body. Left out where that is not sure.
   */
  readonly releasesBody?: boolean;
  post(request: TransportRequest): Promise<Outcome>;
  /** How many bytes the body of a request that is to outlive the page may have now. Left out where there is no page. */
  room?(way: Outliving): number;
  /** Gives connections back. */
  close(): Promise<void>;
}

/** How much of an answer's body a transport reads, in bytes. */
export const MAX_ANSWER_BYTES: number = 64 * 1024;
