/** The largest prime below 2^44. Times the base it is still an exact number. */
const PRIME = 2 ** 44 - 17;
const BASE = 257;

/** A hash of 44 bits. It tells texts apart and does not show them. It does not protect a text that somebody can guess. */
export function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * BASE + text.charCodeAt(at)) % PRIME;
  return hash;
}

/** A hash of 32 bits. Mix it before use: its low bits depend on few characters. */
export function hashOf32(text: string, start: number): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
