import type { Batch } from '../../wait/parcel.ts';

/** Time limits of one request, in milliseconds. */
export interface Timeouts {
  /** For connecting, including TLS, or for a free connection. A transport that cannot measure it counts it in `headersMs`. */
  readonly connectMs: number;
  /** From the connection, or from the start if that is not known, until the status of the answer has arrived. */
  readonly headersMs: number;
  /** For reading the body. After that, the answer still counts, with the part of its body that arrived. */
  readonly bodyMs: number;
  /** For the whole request, including sending. */
  readonly totalMs: number;
}

/** Whether requests carry cookies: none (`omit`), those to the page's own origin (`same-origin`), or all (`include`). */
export type Credentials = 'omit' | 'same-origin' | 'include';

/** One request: a batch body to be posted. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeouts: Timeouts;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Whether the page may be gone before the answer comes. The request is made before `post()` returns. */
  readonly outlives?: boolean | undefined;
}

/** The result of a request: an answer, or a failure that says whether the body may have arrived anyway. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** The header `Date`: when the service answered, on its own clock. Left out if it is not known. */
      readonly date?: string | undefined;
      /** The header `Location`. Left out if there is none, or if the runtime hides it, as in a page. */
      readonly location?: string | undefined;
      /** The start of the body as text, at most `MAX_ANSWER_BYTES` of it. */
      readonly body: string;
      /**
       * The address that the answer comes from, if it is not the requested one. For example, the site's own service worker may
       * answer with another page.
       */
      readonly from?: string | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly cause: unknown;
      /** False only if the service certainly did not get the body: no name, no connection, no TLS. */
      readonly maybeSent: boolean;
      /** Whether something on this side, for example an ad-blocker, blocks all requests to the service. */
      readonly isBlocked?: boolean;
    };

export type Answer = Extract<Outcome, { kind: 'answered' }>;

/**
 * Posts batches. Follows no redirect to another address (the key would go along), never rejects, and reads a limited part of the
 * answer.
 *
 * @example
 * const inner = new UndiciTransport(); // of @sluice/core/undici-transport
 * const transport: Transport = { post: (request) => inner.post(sign(request)), close: () => inner.close() };
 */
export interface Transport {
  /**
   * Whether nothing reads `request.body` any more once `post()` has resolved to an answer. Then the same memory may hold
   * another body. Left out if that is not certain.
   */
  readonly releasesBody?: boolean;
  /** Whether no request was answered yet, and one may have arrived. Undefined if none can have arrived. Left out if that is not known. */
  readonly isUnanswered?: boolean | undefined;
  /** Makes one request. Resolves to its answer, or to a failure that says whether the body may have arrived. Never rejects. */
  post(request: TransportRequest): Promise<Outcome>;
  /** Maximum size now for the body of a request that outlives the page, in bytes. Left out if there is no page. */
  room?(): number;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** Maximum number of bytes that a transport reads of an answer's body. */
export const MAX_ANSWER_BYTES: number = 64 * 1024;

/**
 * Returns the events of an accepted batch that the answer names as rejected, in order, each with the reason. Undefined if the
 * answer says nothing about that.
 */
export type ReadRejected = (
  batch: Batch,
  answer: Answer,
) => readonly (readonly [index: number, reason: string])[] | undefined;

/** Encodes bodies before they are sent. */
export interface Encoder {
  /** Encodes a body, and makes a request with it; with the plain body too, if the encoding may be why it was refused. */
  post(body: Uint8Array, ask: (body: Uint8Array, encoding?: 'gzip') => Promise<Outcome>): Promise<Outcome>;
}

/** How a page begins, complete or not. XML of a service says that it is XML. */
const HTML = /^\s*<(?:[!a-z]|\?xml[^>]*>\s*<(?:!|html))/i;

/**
 * Whether an answer is not the service's own. Either it comes from another address, for example from a site's service worker
 * that answers with its offline page. Or it is an HTML document, for example from a captive portal.
 */
export function isIntercepted({ body, from }: Pick<Answer, 'body' | 'from'>): boolean {
  return from !== undefined || HTML.test(body);
}
