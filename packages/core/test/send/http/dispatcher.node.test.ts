import { startEmulator } from '@sluice/emulator';
import { Agent, type Dispatcher, interceptors, MockAgent, ProxyAgent } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { UndiciTransport } from '../../../src/send/http/undici-transport.ts';
import { describeAtHostileService } from '../../contracts/hostile-contract.ts';
import { describeTransport } from '../../contracts/transport-contract.ts';
import { startHostileService } from '../../hostile/hostile-service.ts';
import { AUTHORITY, CLIENT } from './echo-service.ts';
import { BODY, NOT_SENT, OK, post, turn, WayOut } from './way-out.ts';

const way = new WayOut();
afterEach(() => way.end());

describe('UndiciTransport, with a dispatcher', () => {
  it('goes through a proxy that speaks TLS, to a service that wants a certificate', async () => {
    const [service, proxy] = [
      await way.start({ speaks: 'mtls' }),
      await way.startProxy({ tls: true, login: 'ada:hunter2' }),
    ];
    const dispatcher = new ProxyAgent({
      uri: proxy.url,
      token: `Basic ${btoa('ada:hunter2')}`,
      proxyTls: { ca: AUTHORITY },
      requestTls: { ca: AUTHORITY, cert: CLIENT, key: CLIENT },
    });
    way.finally(() => dispatcher.close());
    expect(await post(way.create({ dispatcher }), service)).toMatchObject(OK);
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${service.port}`]);
    expect(service.seen).toMatchObject([{ client: 'client', body: BODY }]);
  });

  it('does not close it, and does not say that bodies are released', async () => {
    const [service, dispatcher] = [await way.start(), new Agent()];
    way.finally(() => dispatcher.close());
    const transport = way.create({ dispatcher });
    expect(transport.releasesBody).toBe(false);
    expect(await post(transport, service)).toMatchObject(OK);
    await transport.close();
    await turn();
    expect(await post(way.create({ dispatcher }), service)).toMatchObject(OK);
    expect(service.connections()).toBe(1);
  });

  it('takes the answer of a mock', async () => {
    const dispatcher = new MockAgent();
    way.finally(() => dispatcher.close());
    dispatcher.disableNetConnect();
    const answer = { headers: { 'retry-after': '7' } };
    dispatcher
      .get('http://relay.test')
      .intercept({ path: '/api/events/batch/', method: 'POST' })
      .reply(503, 'later', answer);
    const transport = way.create({ dispatcher });
    const expected = { kind: 'answered', status: 503, retryAfter: '7', body: 'later' };
    expect(await post(transport, { origin: 'http://relay.test' })).toMatchObject(expected);
    expect(await post(transport, { origin: 'http://relay.test' })).toMatchObject({ kind: 'failed' });
  });

  it('takes one that is composed of interceptors', async () => {
    const service = await way.start();
    const agent = new Agent();
    way.finally(() => agent.close());
    const dispatcher = agent.compose(
      interceptors.dns(),
      (dispatch: Dispatcher['dispatch']) => (options, handler) =>
        dispatch({ ...options, headers: { ...options.headers, 'x-signed': 'yes' } }, handler),
    );
    expect(await post(way.create({ dispatcher }), service)).toMatchObject(OK);
    expect(service.seen).toMatchObject([{ headers: { 'x-signed': 'yes' } }]);
  });

  it('fails where it is closed, or throws', async () => {
    const [service, dispatcher] = [await way.start(), new Agent()];
    await dispatcher.close();
    expect(await post(way.create({ dispatcher }), service)).toMatchObject(NOT_SENT);
    const throwing = { dispatch: () => expect.fail('mine') };
    expect(await post(way.create({ dispatcher: throwing }), service)).toMatchObject({
      ...NOT_SENT,
      cause: { message: 'mine' },
    });
  });
});

const emulator = await startEmulator({ primaryKey: 'email' });
const hostile = await startHostileService();
const agent = new Agent();
afterAll(() => Promise.all([emulator.close(), hostile.close(), agent.destroy()]));

const createWithAgent = () => new UndiciTransport({ dispatcher: agent });
describeTransport('UndiciTransport with a dispatcher', createWithAgent, emulator);
describeAtHostileService('UndiciTransport with a dispatcher', createWithAgent, hostile, {
  ...{ seesConnections: true, takesContinue: false, isBrowser: false },
  endsNonsense: true,
  takesEarlyAnswers: true,
});
