import type { Outcome } from './transport.ts';

/** A body as it is sent. */
export interface Encoded {
  readonly body: Uint8Array;
  /** Value of the header `content-encoding`; undefined if the body is not encoded. */
  readonly encoding: 'gzip' | undefined;
}

/** Makes a request. */
type Ask = (body: Uint8Array, encoding?: Encoded['encoding']) => Promise<Outcome>;

/** Encodes bodies before they are sent. */
export interface Encoder {
  /** Returns the body to send. Never rejects. */
  encode(body: Uint8Array): Promise<Encoded>;
  /** The service accepted a body. Bodies that were never given to `encode` are ignored. */
  accepted(body: Uint8Array): void;
  /** The service refused a body, or no answer came. Returns whether the encoding may be the reason. Then the body goes plain. */
  refused(body: Uint8Array, status: number | undefined): boolean;
  /** Encodes a body, and makes a request with it; with the plain body too, if the encoding may be why it was refused. */
  post(body: Uint8Array, ask: Ask): Promise<Outcome>;
}
