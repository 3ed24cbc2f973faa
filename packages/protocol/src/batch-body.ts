const HEAD = '{"batch":[';
const TAIL = ']}';
const HEAD_BYTES: Uint8Array = Uint8Array.from(HEAD, (character) => character.charCodeAt(0));
const TAIL_BYTES: Uint8Array = Uint8Array.from(TAIL, (character) => character.charCodeAt(0));

/** Number of bytes in a batch body before its first event. */
export const BATCH_HEAD_LENGTH: number = HEAD.length;

/** Number of bytes in a batch body besides its events and the commas between them. */
export const BATCH_OVERHEAD_BYTES: number = HEAD.length + TAIL.length;

/**
 * Joins events, each already a JSON text, into the text of a batch body. Parses nothing.
 *
 * @example joinEvents(['{"event":"a"}']); // '{"batch":[{"event":"a"}]}'
 */
export function joinEvents(events: readonly string[]): string {
  return HEAD + events.join(',') + TAIL;
}

/**
 * Completes a batch body in place. Before the call, `memory` must hold `length` bytes of events, joined by commas, from
 * offset `BATCH_HEAD_LENGTH` on. Returns the part of `memory` that holds the body.
 *
 * @example
 * const memory = new Uint8Array(events.length + BATCH_OVERHEAD_BYTES);
 * memory.set(events, BATCH_HEAD_LENGTH);
 * const body = encloseBatch(memory, events.length);
 */
export function encloseBatch(memory: Uint8Array, length: number): Uint8Array {
  memory.set(HEAD_BYTES);
  memory.set(TAIL_BYTES, HEAD_BYTES.length + length);
  return memory.subarray(0, length + BATCH_OVERHEAD_BYTES);
}
