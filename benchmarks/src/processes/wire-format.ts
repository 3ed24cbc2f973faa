/** The parts of a wire format that the receiver has to know. */
export interface WireFormat {
  /** The bytes right before the uuid of an event. Default: Sluice's field. */
  readonly mark?: string;
  /** Whether bodies are HTML forms with one field, in base64. */
  readonly isBase64Form?: boolean;
  /** The answer of the service when it has taken events. Default: an empty JSON object. */
  readonly reply?: string;
}

/** The content of a form's only field, such as `data=eyJ…`. */
export function fromBase64Form(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1', body.indexOf('=') + 1), 'base64');
}
