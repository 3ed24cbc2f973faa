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
  const sum = new Uint32Array(primes(8).map((prime) => fraction(prime ** (1 / 2))));
  const factors = primes(64).map((prime) => fraction(prime ** (1 / 3)));
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    const state = [...sum];
    for (const [round, factor] of factors.entries()) {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
      const before = (rounds: number) => words[round - rounds] ?? 0;
      words[round] =
        round < 16
          ? padded.getUint32(block + round * 4)
          : before(16) +
            (turned(before(15), 7) ^ turned(before(15), 18) ^ (before(15) >>> 3)) +
            before(7) +
            (turned(before(2), 17) ^ turned(before(2), 19) ^ (before(2) >>> 10));
      const one =
        h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + factor + before(0);
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      state.pop();
      state.unshift((one + two) | 0);
      state[4] = (d + one) | 0;
    }
    for (const [index, word] of state.entries()) sum[index] = (sum[index] ?? 0) + word;
  }
  return Array.from(sum.subarray(0, 4), (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first prime numbers. The constants of SHA-256 are made from their roots. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1)
    if (found.every((prime) => candidate % prime > 0)) found.push(candidate);
  return found;
}

/** The first 32 bits of the fractional part. */
function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
