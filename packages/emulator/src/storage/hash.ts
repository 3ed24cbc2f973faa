const START_LOW = 0x811c9dc5;
const START_HIGH = 0x9e3779b9;
const FACTOR_LOW = 0x01000193;
const FACTOR_HIGH = 0x85ebca6b;
const HIGH_BITS = 21;

/** A hash of 53 bits: each value fits into a double and into an SQLite integer. It is not safe if somebody wants collisions. */
export function hash53(text: string): number {
  let low = START_LOW;
  let high = START_HIGH;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, FACTOR_LOW);
    high = Math.imul(high ^ code, FACTOR_HIGH) + (low >>> 16);
  }
  low = Math.imul(low ^ (low >>> 16), FACTOR_HIGH);
  low ^= Math.imul(high ^ (high >>> 13), FACTOR_LOW);
  high = Math.imul(high ^ (high >>> 16), FACTOR_HIGH) ^ (low >>> 15);
  return ((high >>> 0) % 2 ** HIGH_BITS) * 2 ** 32 + (low >>> 0);
}
