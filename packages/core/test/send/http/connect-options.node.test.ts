import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@sluice/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectOptions } from '../../../src/send/http/connect-options.ts';
import type { Outcome, Timeouts } from '../../../src/send/http/transport.ts';
import { LONG } from '../../hostile/trial.ts';
import { AUTHORITY, CLIENT, SERVICE } from './echo-service.ts';
import { BODY, OK, post, WayOut } from './way-out.ts';

/** What came of a body until then. */
const PART = expect.stringMatching(/^(par)?$/);
const way = new WayOut();
afterEach(() => way.end());

/** Posts once. */
async function postOnce(connect: ConnectOptions, origin: string): Promise<Outcome> {
  return post(way.create({ connect }), { origin });
}

describe('UndiciTransport, with "connect"', () => {
  it('trusts an authority of the user, as text, as bytes, and among others', async () => {
    const { origin, seen } = await way.start({ speaks: 'tls' });
    for (const ca of [AUTHORITY, new TextEncoder().encode(AUTHORITY), [CLIENT, AUTHORITY]])
      expect(await postOnce({ ca }, origin)).toMatchObject(OK);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toMatchObject({ url: '/api/events/batch/', body: BODY });
  });

  it('sends nothing to a service that nobody vouches for, unless told so', async () => {
    const { origin, seen } = await way.start({ speaks: 'tls' });
    const failed = { kind: 'failed', maybeSent: false, cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } };
    expect(await postOnce({}, origin)).toMatchObject(failed);
    expect(seen).toHaveLength(0);
    expect(await postOnce({ rejectUnauthorized: false }, origin)).toMatchObject(OK);
  });

  it('asks for the name that the certificate must have', async () => {
    const { origin } = await way.start({ speaks: 'tls' });
    expect(await postOnce({ ca: AUTHORITY, servername: 'service.test' }, origin)).toMatchObject(OK);
    const failed = { kind: 'failed', maybeSent: false, cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } };
    expect(await postOnce({ ca: AUTHORITY, servername: 'other.test' }, origin)).toMatchObject(failed);
  });

  it('shows a certificate of its own (mTLS), also with a key that has a passphrase', async () => {
    const { origin, seen } = await way.start({ speaks: 'mtls' });
    const passphrase = 'canary-passphrase-2c9e';
    const encrypted = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase } as const;
    const key = createPrivateKey(CLIENT).export(encrypted).toString();
    expect((await postOnce({ ca: AUTHORITY }, origin)).kind).toBe('failed');
    expect(await postOnce({ ca: AUTHORITY, cert: CLIENT, key: CLIENT }, origin)).toMatchObject(OK);
    expect(await postOnce({ ca: AUTHORITY, cert: CLIENT, key, passphrase }, origin)).toMatchObject(OK);
    expect(seen.map(({ client }) => client)).toEqual(['client', 'client']);
    expect(() => way.create({ connect: { cert: CLIENT, key, passphrase: `${passphrase}!` } })).toThrow(
      expect.toSatisfy((error: ConfigError) => {
        expect(error).toBeInstanceOf(ConfigError);
        expect(error.option).toBe('delivery.connect');
        expect(error.message).toMatch(
          /^delivery\.connect has a ca, cert, key or passphrase that Node cannot use: /,
        );
        return !JSON.stringify([error.message, error.stack, error.cause]).includes('canary');
      }),
    );
  });

  it.each<[string, ConnectOptions]>([
    ['an authority that is none', { ca: [AUTHORITY, 'no authority'] }],
    ['a key that is none', { cert: CLIENT, key: 'no key' }],
    ['a certificate that is none', { cert: 'no certificate', key: CLIENT }],
    ['the key of another certificate', { cert: CLIENT, key: SERVICE }],
  ])('refuses at once what Node cannot use: %s', (_, connect) => {
    expect(() => way.create({ connect })).toThrow(ConfigError);
  });

  it.skipIf(process.platform === 'win32')('goes through a Unix socket, with and without TLS', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-'));
    way.finally(() => rmSync(directory, { recursive: true }));
    const [path, securePath] = [join(directory, 'plain'), join(directory, 'secure')];
    const plain = await way.start({ path });
    const secure = await way.start({ speaks: 'tls', path: securePath });
    expect(await postOnce({ socketPath: path }, 'http://relay.test')).toMatchObject(OK);
    const connect = { socketPath: securePath, ca: AUTHORITY, servername: 'service.test' };
    expect(await postOnce(connect, 'https://relay.test:8443')).toMatchObject(OK);
    expect(plain.seen).toMatchObject([{ headers: { host: 'relay.test' }, body: BODY }]);
    expect(secure.seen).toMatchObject([{ headers: { host: 'relay.test:8443' }, body: BODY }]);
    await plain.close();
    expect(await postOnce({ socketPath: path }, 'http://relay.test')).toMatchObject({
      kind: 'failed',
      maybeSent: false,
    });
  });
});

describe('UndiciTransport, with HTTP/2', () => {
  it('speaks it if it may and the service does', async () => {
    const both = await way.start({ speaks: 'h2' });
    const old = await way.start({ speaks: 'tls' });
    for (const allowH2 of [true, false])
      for (const { origin } of [both, old])
        expect(await postOnce({ ca: AUTHORITY, allowH2 }, origin)).toMatchObject(OK);
    expect(both.seen.map(({ version }) => version)).toEqual(['2.0', '1.1']);
    expect(old.seen.map(({ version }) => version)).toEqual(['1.1', '1.1']);
  });

  it('uses connections again, and makes several requests at once', async () => {
    const { origin, seen, connections } = await way.start({ speaks: 'h2' });
    const transport = way.create({ connect: { ca: AUTHORITY, allowH2: true } });
    const body = new Uint8Array(512 * 1024).fill(0x20);
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => post(transport, { origin }, { body })));
      for (const outcome of outcomes) expect(outcome).toMatchObject(OK);
    }
    expect(seen.map(({ body }) => body.length)).toEqual(Array(12).fill(body.length));
    expect(connections()).toBe(4);
  });

  it.each<[string, (stream: ServerHttp2Stream) => void, Partial<Timeouts>, object]>([
    ['no answer comes in time', () => {}, { headersMs: 100 }, { kind: 'failed', maybeSent: true }],
    ['the service goes away', ({ session }) => session?.goaway(), {}, { kind: 'failed', maybeSent: true }],
    ['the connection ends', ({ session }) => session?.destroy(), {}, { kind: 'failed', maybeSent: true }],
    ['the stream is reset', (stream) => stream.close(8), {}, { kind: 'failed', maybeSent: true }],
    [
      'the body of the answer breaks off',
      (stream) => {
        stream.respond({ ':status': 503, 'retry-after': '7' });
        stream.write('par', () => stream.session?.destroy());
      },
      {},
      { kind: 'answered', status: 503, retryAfter: '7', body: PART },
    ],
    [
      'the body of the answer never ends',
      (stream) => {
        stream.respond({ ':status': 413 });
        stream.write('par');
      },
      { bodyMs: 100 },
      { kind: 'answered', status: 413, body: PART },
    ],
  ])('ends a request, and makes others, where %s', async (_, misbehave, limits, expected) => {
    const { origin, seen, connections } = await way.start({ speaks: 'h2', misbehave });
    const transport = way.create({ connect: { ca: AUTHORITY, allowH2: true } });
    expect(await post(transport, { origin })).toMatchObject(OK);
    const timeouts = { ...LONG, ...limits };
    expect(await post(transport, { origin: `${origin}/misbehave` }, { timeouts })).toMatchObject(expected);
    expect(await post(transport, { origin })).toMatchObject(OK);
    expect(seen).toHaveLength(2);
    expect(connections()).toBe(2);
  });

  it('says what it does not know: a body may be read after the answer', () => {
    expect(way.create({ connect: { allowH2: true } }).releasesBody).toBe(false);
    expect(way.create({ connect: { ca: AUTHORITY } }).releasesBody).toBe(true);
    expect(way.create().releasesBody).toBe(true);
  });
});
