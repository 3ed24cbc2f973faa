/**
 * The first 128 bits of the SHA-256 of a text, in hexadecimal digits. `crypto.subtle` cannot be used: it is asynchronous, but
 * the name of a database is needed at once. Pages that are not served over https do not have it at all.
 * https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The message, a 1 bit, zeros, and at the end of the last block of 64 bytes the length of the message in bits.
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number += 1)
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  const sum = new Uint32Array(primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2))));
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    const state = [...sum];
    for (const [round, prime] of primes.entries()) {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
      const before = (rounds: number) => words[round - rounds] ?? 0;
      words[round] =
        round < 16
          ? padded.getUint32(block + round * 4)
          : before(16) +
            (turned(before(15), 7, 18) ^ (before(15) >>> 3)) +
            before(7) +
            (turned(before(2), 17, 19) ^ (before(2) >>> 10));
      const one = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + fraction(prime ** (1 / 3)) + before(0);
      const two = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      state.pop();
      state.unshift((one + two) | 0);
      state[4] = (d + one) | 0;
    }
    for (const [index, word] of state.entries()) sum[index] = (sum[index] ?? 0) + word;
  }
  return Array.from(sum.subarray(0, 4), (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractional part. The constants of SHA-256 are made from the roots of prime numbers. */
function fraction(root: number): number {
  return (root * 2 ** 32) | 0;
}

/** The word turned by each of these numbers of bits, together. */
function turned(word: number, ...turns: readonly number[]): number {
  return turns.reduce((mix, bits) => mix ^ ((word >>> bits) | (word << (32 - bits))), 0);
}
