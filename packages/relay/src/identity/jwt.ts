import { createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '@sluice/protocol';
import { errors, type JWK, jwtVerify } from 'jose';
import type { JwtOptions } from '../options.ts';

/** Headers by which a token would choose the key that it is checked with. */
const CHOOSES_KEY = ['jku', 'jwk', 'x5u', 'x5c'];
const LEAST_SECRET = 32;

type Key = Uint8Array | KeyObject | JWK;

/** Checks JWTs of the site's back end. */
export class Jwts {
  readonly #options: JwtOptions;
  readonly #keys: ReadonlyMap<string, Key>;

  /** Throws a ConfigError for a key that does not fit the algorithm. */
  constructor(options: JwtOptions) {
    this.#options = options;
    const keys = Object.entries(options.keys);
    this.#keys = new Map(keys.map(([kid, key]) => [kid, keyOf(kid, key, options.algorithm)]));
  }

  /** The customer that a token names. Undefined if the token does not hold. */
  async read(token: string, now: number): Promise<string | undefined> {
    const { algorithm, audience, issuer } = this.#options;
    try {
      const { payload } = await jwtVerify(
        token,
        (header) => {
          const key = this.#keys.get(header.kid ?? '');
          if (!key || CHOOSES_KEY.some((name) => name in header)) throw new errors.JWSInvalid('no key');
          return key;
        },
        {
          algorithms: [algorithm],
          audience,
          requiredClaims: ['exp', 'sub'],
          currentDate: new Date(now),
          ...(issuer !== undefined && { issuer }),
        },
      );
      return payload.sub;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** An error never shows a key. */
function keyOf(kid: string, key: unknown, algorithm: string): Key {
  const option = `jwt.keys.${kid}`;
  if (algorithm.startsWith('HS')) {
    if (typeof key === 'string' && key.length >= LEAST_SECRET) return new TextEncoder().encode(key);
    throw new ConfigError(
      option,
      `${option} must be a text of at least ${LEAST_SECRET} characters for ${algorithm}`,
    );
  }
  try {
    // A private key would be accepted too: only its public part is kept.
    return typeof key === 'string'
      ? createPublicKey(key)
      : createPublicKey({ key: Object(key), format: 'jwk' });
  } catch {
    throw new ConfigError(option, `${option} must be a public key for ${algorithm}: PEM text, or a JWK`);
  }
}
