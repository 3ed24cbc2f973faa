import { type Cipher, createCipheriv } from 'node:crypto';
import { hmac } from '../identity/tickets.ts';
import { Recent } from '../recent.ts';
import type { Key } from './id-table.ts';

const CIPHER = 'aes-128-ecb';
const UUID_BYTES = 16;
const MOST_SCOPES = 1_000;

/**
 * Makes the keys of a window: 96 bits for each uuid, as three words. Each scope, such as a customer, has its own secret. So nobody
 * can find a uuid whose key is that of somebody else's event.
 */
export class Ids {
  readonly #secret: Buffer;
  /** By customer. In this mode, a cipher keeps nothing between blocks: it can be used again. */
  readonly #forEvents = new Recent<Cipher>(MOST_SCOPES);

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  ofParcel(customer: string | undefined, uuid: string): Key {
    return { words: wordsOf(this.#cipherOf('parcel', customer), uuid, 1), at: 0 };
  }

  /** Three words for each event. */
  ofEvents(customer: string | undefined, events: readonly { readonly uuid: string }[]): Uint32Array {
    const name = customer ?? '';
    let cipher = this.#forEvents.get(name);
    if (cipher === undefined) {
      cipher = this.#cipherOf('event', customer);
      this.#forEvents.set(name, cipher);
    }
    let uuids = '';
    for (const { uuid } of events) uuids += uuid;
    return wordsOf(cipher, uuids, events.length);
  }

  #cipherOf(what: 'event' | 'parcel', customer: string | undefined): Cipher {
    const scope = customer === undefined ? 'nobody' : `customer ${customer}`;
    return createCipheriv(CIPHER, hmac(this.#secret, `${what} ${scope}`).subarray(0, UUID_BYTES), null);
  }
}

/** A block of AES is a uuid under a key that only the relay has: one call does all of them. */
function wordsOf(cipher: Cipher, uuids: string, count: number): Uint32Array {
  const blocks = cipher.update(uuids.replaceAll('-', ''), 'hex');
  const words = new Uint32Array(3 * count);
  for (let index = 0; index < count; index += 1) {
    const at = UUID_BYTES * index;
    // A table's empty slots are zeros.
    words[3 * index] = blocks.readUInt32LE(at) || 1;
    words[3 * index + 1] = blocks.readUInt32LE(at + 4);
    words[3 * index + 2] = blocks.readUInt32LE(at + 8);
  }
  return words;
}
