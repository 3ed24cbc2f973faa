import type { Outcome } from './transport.ts';

/** Makes a request. */
type Ask = (body: Uint8Array, encoding?: 'gzip') => Promise<Outcome>;

/** Encodes bodies before they are sent. */
export interface Encoder {
  /** Encodes a body, and makes a request with it; with the plain body too, if the encoding may be why it was refused. */
  post(body: Uint8Array, ask: Ask): Promise<Outcome>;
}
