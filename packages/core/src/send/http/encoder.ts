/** A body as it is sent. */
export interface Encoded {
  readonly body: Uint8Array;
  /** Value of the header `content-encoding`; undefined for a body as it was. */
  readonly encoding: 'gzip' | undefined;
}

/** Encodes bodies for their way to the service. */
export interface Encoder {
  /** The body as it is to be sent. Never rejects. */
  encode(body: Uint8Array): Promise<Encoded>;
  /** The service took a body, if it was ever given to `encode`. */
  accepted(body: Uint8Array): void;
  /** The service refused a body, or no answer came. Returns whether the encoding may be why: then the body goes plain. */
  refused(body: Uint8Array, status: number | undefined): boolean;
}
