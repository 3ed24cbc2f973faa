import { createCipheriv } from 'node:crypto';
import { hmac } from '../identity/tickets.ts';
import { Recent } from '../recent.ts';

const CIPHER = 'aes-128-ecb';
const UUID_BYTES = 16;
const MOST_SCOPES = 10_000;

/**
 * Makes the keys of a window: 96 bits for each uuid, as three words. Each scope, such as a customer, has its own secret. So nobody
 * can find a uuid whose key is that of somebody else's event.
 */
export class Ids {
  readonly #secret: Buffer;
  readonly #scopes = new Recent<Buffer>(MOST_SCOPES);

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** Three words for each uuid. A block of AES is a uuid under a key that only the relay has: one call does all of them. */
  of(scope: string, uuids: readonly string[]): Uint32Array {
    const plain = Buffer.from(uuids.join('').replaceAll('-', ''), 'hex');
    const cipher = createCipheriv(CIPHER, this.#keyOf(scope), null).setAutoPadding(false);
    const blocks = cipher.update(plain);
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

  #keyOf(scope: string): Buffer {
    const key = this.#scopes.get(scope) ?? hmac(this.#secret, scope).subarray(0, UUID_BYTES);
    this.#scopes.set(scope, key);
    return key;
  }
}
