import type { Redact } from '@sluice/protocol/toolbox';
import type { sharedRequests } from '../shared-requests.ts';
import type { Parts } from './parts.ts';

/** The request that a `fetch` receives. Redirects are never followed: they would send the key to another address. */
export interface FetchRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'manual';
  /** Aborts when the time-out has passed, when no caller waits any more, and when the answer has been handled. */
  readonly signal: AbortSignal;
}

/** The part of a `Response` that is used. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` if a browser hides a redirect. Its status is 0. */
  readonly type?: string;
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
}

/** The part of a body's reader that is used. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** The part of the platform's `fetch` that is used. `globalThis.fetch` and undici's `fetch` have this type. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** What differs between runtimes. */
export interface Platform {
  /** Sends the requests of a reader without the option `fetch`. */
  readonly fetch: Fetch;
  /** Makes a function that removes the API key from texts. */
  readonly redactor: (secret: string) => Redact;
  /** Copies what a request threw, without the API key. */
  readonly redactedError: (error: unknown, redact: Redact) => Error;
  /** Why a request failed, in short, by such a copy. */
  readonly reasonOf: (cause: Error) => string;
  /** How reads of one key share requests. Default: `sharedRequests`. */
  readonly requests?: typeof sharedRequests;
  /** Calls back when the signal aborts, until the returned function is called. */
  readonly onAbort: (signal: AbortSignal, callback: () => void) => () => void;
  /** The parts that are built in. */
  readonly parts: Parts;
}
