import { type Cipher, createCipheriv } from 'node:crypto';
import { hmac } from '../identity/tickets.ts';
import { Recent } from '../recent.ts';

const CIPHER = 'aes-128-ecb';
const UUID_BYTES = 16;
const MOST_SCOPES = 1_000;

/**
 * Makes the keys of a window: 96 bits for each uuid, as three words. Each scope, such as a customer, has its own secret. So nobody
 * can find a uuid whose key is that of somebody else's event.
 */
export class Ids {
  readonly #secret: Buffer;
  /** In this mode, a cipher keeps nothing between blocks: it can be used again. */
  readonly #ciphers = new Recent<Cipher>(MOST_SCOPES);

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** Three words for each uuid. A block of AES is a uuid under a key that only the relay has: one call does all of them. */
  of(scope: string, uuids: readonly string[]): Uint32Array {
    const plain = Buffer.from(uuids.join('').replaceAll('-', ''), 'hex');
    const blocks = this.#cipherOf(scope).update(plain);
    const words = new Uint32Array(3 * uuids.length);
    for (let index = 0; index < uuids.length; index += 1) {
      const at = UUID_BYTES * index;
      // A table's empty slots are zeros.
      words[3 * index] = blocks.readUInt32LE(at) || 1;
      words[3 * index + 1] = blocks.readUInt32LE(at + 4);
      words[3 * index + 2] = blocks.readUInt32LE(at + 8);
    }
    return words;
  }

  #cipherOf(scope: string): Cipher {
    const known = this.#ciphers.get(scope);
    if (known) return known;
    const key = hmac(this.#secret, scope).subarray(0, UUID_BYTES);
    const cipher = createCipheriv(CIPHER, key, null);
    this.#ciphers.set(scope, cipher);
    return cipher;
  }
}
