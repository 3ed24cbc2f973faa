const FIELD = Buffer.from('"uuid":"');
const UUID_LENGTH = 36;

/**
 * The uuids of the events in request bodies. They are searched for as bytes, since parsing would make the receiver the
 * bottleneck. Inside a JSON string these quotes are escaped, so that only a payload with a field `uuid` would mislead it.
 */
export class UuidSet {
  readonly seen: Set<string> = new Set();
  /** Events taken, repeated ones included. */
  received = 0;

  /** Takes the events of a request body. Returns how many there are. */
  add(body: Buffer): number {
    let count = 0;
    for (let at = body.indexOf(FIELD); at >= 0; at = body.indexOf(FIELD, at + UUID_LENGTH)) {
      at += FIELD.length;
      this.seen.add(body.toString('latin1', at, at + UUID_LENGTH));
      count += 1;
    }
    this.received += count;
    return count;
  }

  clear(): void {
    this.seen.clear();
    this.received = 0;
  }
}
