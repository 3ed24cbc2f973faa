const HEAD = '{"batch":[';
const TAIL = ']}';
const HEAD_BYTES: Uint8Array = Uint8Array.from(HEAD, (character) => character.charCodeAt(0));
const TAIL_BYTES: Uint8Array = Uint8Array.from(TAIL, (character) => character.charCodeAt(0));

/** Bytes of a batch body before its first event. */
export const BATCH_HEAD_LENGTH: number = HEAD.length;

/** Bytes that a batch body has besides its events and the commas between them. */
export const BATCH_OVERHEAD_BYTES: number = HEAD.length + TAIL.length;

/** Joins events that are JSON texts already into the text of a batch body. Nothing is parsed. */
export function joinEvents(events: readonly string[]): string {
  return HEAD + events.join(',') + TAIL;
}

/**
 * Completes a batch body in place, where so many bytes of events, joined by commas, lie `BATCH_HEAD_LENGTH` behind the start
 * of `memory`. Returns the body.
 */
export function encloseBatch(memory: Uint8Array, length: number): Uint8Array {
  memory.set(HEAD_BYTES);
  memory.set(TAIL_BYTES, HEAD_BYTES.length + length);
  return memory.subarray(0, length + BATCH_OVERHEAD_BYTES);
}
