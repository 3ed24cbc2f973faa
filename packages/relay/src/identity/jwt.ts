import { createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '@sluice/protocol';
import { tried } from '@sluice/protocol/toolbox';
import { errors, jwtVerify } from 'jose';
import type { JwtOptions } from '../options.ts';

/** Headers by which a token would choose the key that it is checked with. */
const CHOOSES_KEY = ['jku', 'jwk', 'x5u', 'x5c'];
/** Characters of a secret that signs. */
export const LEAST_SECRET = 32;

/** Shorter RSA keys can be broken. */
const LEAST_MODULUS = 2_048;
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

type Key = Uint8Array | KeyObject;

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

  /** The customer that a token names: a text, unless the site's back end is wrong. Undefined if the token does not hold. */
  async read(token: string, now: number): Promise<unknown> {
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
  // What is as long may be a secret in the wrong place.
  const option = `jwt.keys.${kid.length < LEAST_SECRET ? kid : '…'}`;
  if (algorithm.startsWith('HS')) {
    // PEM text is most often a public key: whoever has that could sign as anybody.
    const isSecret = typeof key === 'string' && key.length >= LEAST_SECRET && !key.includes('-----BEGIN');
    if (isSecret) return new TextEncoder().encode(key);
    throw new ConfigError(
      option,
      `${option} must be a text of at least ${LEAST_SECRET} characters for ${algorithm}, and no PEM text`,
    );
  }
  const found = publicKeyOf(key);
  if (found && fits(found, algorithm)) return found;
  throw new ConfigError(option, `${option} must be a public key for ${algorithm}: PEM text, or a JWK`);
}

function publicKeyOf(key: unknown): KeyObject | undefined {
  // A private key would be accepted too: only its public part is kept.
  return tried(() => createPublicKey(typeof key === 'string' ? key : { key: Object(key), format: 'jwk' }));
}

function fits(
  { asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject,
  algorithm: string,
): boolean {
  if (algorithm === 'EdDSA') return type === 'ed25519';
  if (algorithm.startsWith('ES')) return type === 'ec' && details?.namedCurve === CURVES[algorithm];
  return type === 'rsa' && Number(details?.modulusLength) >= LEAST_MODULUS;
}
