/** What a `fetch` is called with. Redirects are never followed: the key would travel. */
export interface FetchRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'manual';
  /** Aborts when the time is up, when nobody waits any more, and when the answer has been dealt with. */
  readonly signal: AbortSignal;
}

/** What of a `Response` is used. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` where a browser hides a redirect. */
  readonly type?: string;
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
}

/** What of a body's reader is used. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** The part of the platform's `fetch` that is used; `globalThis.fetch` and undici's fit. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;
