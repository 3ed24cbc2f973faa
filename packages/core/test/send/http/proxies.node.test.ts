import { ConfigError } from '@sluice/protocol';
import { Agent } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { LONG } from '../../hostile/trial.ts';
import { AUTHORITY, CLIENT } from './echo-service.ts';
import { BODY, NOT_SENT, OK, post, turn, WayOut } from './way-out.ts';

const way = new WayOut();
afterEach(async () => {
  vi.unstubAllEnvs();
  await way.end();
});

/** Sets the variables of the environment, and removes all others that are about proxies. */
function setEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'])
    for (const each of [name, name.toLowerCase()]) vi.stubEnv(each, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

const USE = { NODE_USE_ENV_PROXY: '1' };

describe('UndiciTransport, with a proxy in the environment', () => {
  it('sends requests for http to the proxy as they are, and those for https through a tunnel', async () => {
    const [plain, secure, proxy] = [
      await way.start(),
      await way.start({ speaks: 'mtls' }),
      await way.startProxy(),
    ];
    setEnvironment({ ...USE, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
    const transport = way.create({ connect: { ca: AUTHORITY, cert: CLIENT, key: CLIENT } });
    for (const service of [plain, plain, secure, secure]) {
      expect(await post(transport, service)).toMatchObject(OK);
      await turn();
    }
    const address = `POST ${plain.origin}/api/events/batch/`;
    expect(proxy.seen).toEqual([address, address, `CONNECT 127.0.0.1:${secure.port}`]);
    for (const { seen, port } of [plain, secure]) {
      const headers = {
        host: `127.0.0.1:${port}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      };
      expect(seen).toMatchObject(Array(2).fill({ url: '/api/events/batch/', headers, body: BODY }));
    }
    expect(secure.seen[0]).toMatchObject({ client: 'client' });
  });

  it.each<[string, (url: string, port: number) => Record<string, string>, boolean]>([
    ['is not told to Node', (url) => ({ HTTP_PROXY: url }), false],
    ['is told to Node as off', (url) => ({ HTTP_PROXY: url, NODE_USE_ENV_PROXY: '0' }), false],
    ['is in lower case', (url) => ({ ...USE, http_proxy: url, HTTP_PROXY: 'http://127.0.0.1:9' }), true],
    ['is empty in lower case', (url) => ({ ...USE, http_proxy: '', HTTP_PROXY: url }), false],
    ['is for https alone', (url) => ({ ...USE, HTTPS_PROXY: url }), false],
    ['is not for this host', (url) => ({ ...USE, HTTP_PROXY: url, NO_PROXY: 'x.test,127.0.0.1' }), false],
    [
      'is not for this port',
      (url, port) => ({ ...USE, HTTP_PROXY: url, no_proxy: `127.0.0.1:${port}` }),
      false,
    ],
    ['is not for another port', (url) => ({ ...USE, HTTP_PROXY: url, NO_PROXY: '127.0.0.1:1' }), true],
    ['is for nobody', (url) => ({ ...USE, HTTP_PROXY: url, NO_PROXY: '*' }), false],
  ])('uses it as Node does: it %s', async (_, variables, isUsed) => {
    const [service, proxy] = [await way.start(), await way.startProxy()];
    setEnvironment(variables(proxy.url, service.port));
    expect(await post(way.create(), service)).toMatchObject(OK);
    expect(proxy.seen.length > 0).toBe(isUsed);
    expect(service.seen).toHaveLength(1);
  });

  it.each([
    ['HTTP_PROXY', 'http://ada:hunter2@'],
    ['HTTP_PROXY', 'hunter2.test:3128'],
    ['https_proxy', 'socks5://ada:hunter2@127.0.0.1:1080'],
  ])('refuses one that is no URL of http or https, and does not show it: %s', (name, url) => {
    setEnvironment({ ...USE, [name]: url });
    expect(() => way.create()).toThrow(
      expect.toSatisfy((error: ConfigError) => {
        expect(error).toBeInstanceOf(ConfigError);
        expect(error.option).toBe(name.toUpperCase());
        expect(error.message).toMatch(
          /_PROXY must be a URL such as http:\/\/127.0.0.1:3128; it is not shown/,
        );
        return !JSON.stringify([error.message, error.stack, error.cause]).includes('hunter2');
      }),
    );
  });

  it('does not use it for a Unix socket, or beside a dispatcher', async () => {
    setEnvironment({ ...USE, HTTP_PROXY: 'http://127.0.0.1:9' });
    const [service, dispatcher] = [await way.start(), new Agent()];
    way.finally(() => dispatcher.close());
    expect(await post(way.create({ dispatcher }), service)).toMatchObject(OK);
    expect(way.create({ connect: { socketPath: '/nowhere' } }).releasesBody).toBe(true);
  });

  it('logs in with the name and password of its URL, which the service does not get', async () => {
    const proxy = await way.startProxy({ login: 'ada:hunter2' });
    const url = proxy.url.replace('//', '//ada:hunter2@');
    setEnvironment({ ...USE, HTTP_PROXY: url, HTTPS_PROXY: url });
    const transport = way.create({ connect: { ca: AUTHORITY } });
    for (const service of [await way.start(), await way.start({ speaks: 'tls' })]) {
      expect(await post(transport, service)).toMatchObject(OK);
      expect(JSON.stringify(service.seen)).not.toMatch(/proxy-|hunter2|YWRhOmh1bnRlcjI/);
    }
  });

  it('fails where the proxy does not know who asks', async () => {
    const [proxy, plain, secure] = [
      await way.startProxy({ login: 'ada:hunter2' }),
      await way.start(),
      await way.start({ speaks: 'tls' }),
    ];
    setEnvironment({ ...USE, HTTP_PROXY: proxy.url });
    const transport = way.create({ connect: { ca: AUTHORITY } });
    const cause = { message: expect.stringContaining('407') };
    expect(await post(transport, plain)).toMatchObject({ kind: 'failed', cause });
    expect(await post(transport, secure)).toMatchObject({ ...NOT_SENT, cause });
    expect([...plain.seen, ...secure.seen]).toEqual([]);
  });

  it('fails while the proxy is away, and goes on when it is back', async () => {
    const [service, proxy] = [await way.start({ speaks: 'tls' }), await way.startProxy()];
    setEnvironment({ ...USE, HTTPS_PROXY: proxy.url });
    const transport = way.create({ connect: { ca: AUTHORITY } });
    expect(await post(transport, service)).toMatchObject(OK);
    await proxy.close();
    await expect.poll(() => post(transport, service)).toMatchObject(NOT_SENT);
    const again = await way.startProxy({ port: Number(new URL(proxy.url).port) });
    expect(await post(transport, service)).toMatchObject(OK);
    expect(again.seen).toHaveLength(1);
    expect(service.seen).toHaveLength(2);
  });

  it('does not send a request that was given up before there was a tunnel', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const [service, proxy] = [
      await way.start({ speaks: 'tls' }),
      await way.startProxy({ beforeConnect: () => opened }),
    ];
    setEnvironment({ ...USE, HTTPS_PROXY: proxy.url });
    const transport = way.create({ connect: { ca: AUTHORITY } });
    const late = await post(transport, service, { timeouts: { ...LONG, connectMs: 100 } });
    expect(late).toMatchObject({ ...NOT_SENT, cause: { message: 'timed out: connectMs is 100' } });
    const abort = new AbortController();
    const aborted = post(transport, service, { signal: abort.signal });
    abort.abort(new Error('enough'));
    expect(await aborted).toMatchObject({ ...NOT_SENT, cause: { message: 'enough' } });
    open();
    await vi.waitFor(() => expect(service.connections()).toBe(2), PATIENCE);
    expect(await post(transport, service, { headers: { 'x-last': 'yes' } })).toMatchObject(OK);
    expect(service.seen).toMatchObject([{ headers: { 'x-last': 'yes' } }]);
  });

  it('ends pending requests when it closes', async () => {
    const [service, proxy] = [
      await way.start({ speaks: 'tls' }),
      await way.startProxy({ beforeConnect: () => new Promise(() => {}) }),
    ];
    setEnvironment({ ...USE, HTTPS_PROXY: proxy.url });
    const transport = way.create();
    const posted = post(transport, service);
    await vi.waitFor(() => expect(proxy.seen).toHaveLength(1), PATIENCE);
    await transport.close();
    expect(await posted).toMatchObject(NOT_SENT);
  });
});
