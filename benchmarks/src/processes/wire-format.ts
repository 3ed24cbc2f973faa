/** How a sender and the service speak, as far as the receiver has to know. */
export interface WireFormat {
  /** What stands right before the uuid of an event, byte for byte. Sluice's field, if not given. */
  readonly mark?: string;
  /** Whether bodies are HTML forms with one field, in base64. */
  readonly isBase64Form?: boolean;
  /** What the service says when it has taken events. An empty object of JSON, if not given. */
  readonly reply?: string;
}

/** The content of a form's only field, such as `data=eyJ…`. */
export function fromBase64Form(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1', body.indexOf('=') + 1), 'base64');
}
