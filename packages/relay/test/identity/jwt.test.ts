import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createRelay, type JwtOptions } from '../../src/index.ts';
import { ADA, openSite, optionsOf, pageEvent, SECRET, service } from '../bench/site.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = (pair: KeyPairKeyObjectResult) =>
  pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const PEM = pemOf({ privateKey, publicKey });
const JWT: JwtOptions = { algorithm: 'ES256', audience: 'relay', keys: { now: PEM } };

const claim = (header: object = {}, claims: object = {}) =>
  new SignJWT({
    sub: ADA,
    aud: 'relay',
    exp: Math.floor(Date.now() / 1_000) + 60,
    ...claims,
  }).setProtectedHeader({
    alg: 'ES256',
    kid: 'now',
    ...header,
  });

describe("a JWT of the site's back end", () => {
  it('gets a ticket for its subject, from any listed origin and without a cookie', async () => {
    const emulator = await service();
    const site = await openSite(
      optionsOf(emulator, { jwt: JWT, identify: undefined, origins: ['https://shop.example'] }),
    );
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    const { status, body } = await site.send({ jwt: await claim().sign(privateKey) }, headers);
    expect({ status, body }).toMatchObject({ status: 200, body: { customer: ADA } });
    expect((await site.send({ batch: [pageEvent()], ticket: body.ticket }, headers)).status).toBe(202);
    // Nobody is signed in: the back end gives the page no JWT.
    for (const from of ['same-origin', 'cross-site']) {
      expect(await site.send({}, { ...headers, 'sec-fetch-site': from })).toMatchObject({
        status: 401,
        body: { error: 'no_customer' },
      });
    }
  });

  it('expired, forged, of another audience or algorithm, or without what it needs: gets none', async () => {
    const jwk = await exportJWK(other.publicKey);
    const site = await openSite(optionsOf(await service(), { jwt: JWT }));
    const seconds = Math.floor(Date.now() / 1_000);
    const symmetric = new TextEncoder().encode(PEM);
    const tokens = await Promise.all([
      claim({}, { exp: seconds - 1 }).sign(privateKey),
      claim({}, { exp: undefined }).sign(privateKey),
      claim({}, { nbf: seconds + 60 }).sign(privateKey),
      claim({}, { aud: 'another' }).sign(privateKey),
      claim({}, { aud: undefined }).sign(privateKey),
      claim({}, { sub: undefined }).sign(privateKey),
      claim({}, { sub: '' }).sign(privateKey),
      claim({ kid: 'old' }).sign(privateKey),
      claim({ kid: undefined }).sign(privateKey),
      claim().sign(other.privateKey),
      // The key is chosen by the relay, never by the token.
      claim({ jwk }).sign(other.privateKey),
      claim({ jwk }).sign(privateKey),
      claim({ jku: 'http://127.0.0.1:9/keys' }).sign(privateKey),
      claim({ x5u: 'http://127.0.0.1:9/cert' }).sign(privateKey),
      // The public key, taken for a secret.
      claim({ alg: 'HS256' }).sign(symmetric),
    ]);
    const [head = '', body = ''] = tokens[0].split('.');
    const none = Buffer.from('{"alg":"none","kid":"now"}').toString('base64url');
    const broken = [`${none}.${body}.`, `${head}.${body}.`, `${head}.${body}`, '', 'x', 7, null, {}, ['x']];
    for (const jwt of [...tokens, ...broken]) {
      expect(await site.send({ jwt }), String(jwt)).toMatchObject({
        status: 401,
        body: { error: 'no_customer' },
      });
    }
    expect(await site.send({ jwt: await claim().sign(privateKey) })).toMatchObject({ status: 200 });
  });

  it('may be signed with a secret, or checked with a JWK', async () => {
    const emulator = await service();
    const secret = { ...JWT, algorithm: 'HS256', keys: { now: SECRET } };
    const signed = await claim({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET));
    expect((await (await openSite(optionsOf(emulator, { jwt: secret }))).send({ jwt: signed })).status).toBe(
      200,
    );
    const jwk = { ...JWT, keys: { now: await exportJWK(publicKey) } };
    const site = await openSite(optionsOf(emulator, { jwt: jwk }));
    expect((await site.send({ jwt: await claim().sign(privateKey) })).status).toBe(200);
    expect((await site.send({ jwt: signed })).status).toBe(401);
  });

  it('may be signed with each algorithm', async () => {
    const emulator = await service();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pairs = {
      ...{ RS256: rsa, RS512: rsa, PS256: rsa, PS384: rsa, EdDSA: generateKeyPairSync('ed25519') },
      ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    };
    for (const [alg, pair] of Object.entries(pairs)) {
      const jwt = { ...JWT, algorithm: alg, keys: { now: pemOf(pair) } };
      const site = await openSite(optionsOf(emulator, { jwt }));
      expect((await site.send({ jwt: await claim({ alg }).sign(pair.privateKey) })).status, alg).toBe(200);
    }
  });

  it('whose subject is a number gets none, and the log says so once: nobody else would learn of it', async () => {
    const logged: object[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (data: object) => void logged.push(data) };
    const site = await openSite(optionsOf(await service(), { jwt: JWT, logger }));
    const jwt = await claim({}, { sub: 42 }).sign(privateKey);
    for (const _ of [1, 2]) {
      expect(await site.send({ jwt })).toMatchObject({ status: 401, body: { error: 'no_customer' } });
    }
    expect(logged).toMatchObject([
      { err: { message: 'the sub of a JWT must be a text, not a value of type number' } },
    ]);
  });

  it('needs keys that fit its algorithm: a ConfigError shows none of them', async () => {
    const emulator = await service();
    const wrong = [
      { ...JWT, keys: {} },
      { ...JWT, keys: { now: 'canary' } },
      { ...JWT, algorithm: 'HS256', keys: { now: 'canary' } },
      // Whoever has the public key could sign.
      { ...JWT, algorithm: 'HS256', keys: { now: PEM } },
      { ...JWT, algorithm: 'HS256', keys: { now: PEM.replaceAll('\n', '\\n') } },
      { ...JWT, algorithm: 'none' },
      // Without a word, all tokens would be refused.
      { ...JWT, algorithm: 'RS256' },
      { ...JWT, algorithm: 'EdDSA' },
      { ...JWT, algorithm: 'ES384' },
      {
        ...JWT,
        algorithm: 'RS256',
        keys: { now: pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 })) },
      },
      { ...JWT, audience: '' },
      { algorithm: 'ES256', audience: 'relay' },
    ];
    for (const jwt of wrong) {
      const create = () => createRelay(optionsOf(emulator, { jwt: jwt as JwtOptions }));
      expect(create).toThrow(
        expect.objectContaining({ code: 'SLUICE_CONFIG', option: expect.stringMatching(/^jwt/) }),
      );
      expect(create).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/canary|-----/) }));
    }
  });
});
