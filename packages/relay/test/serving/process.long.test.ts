import { once } from 'node:events';
import { ConfigError } from '@sluice/protocol';
import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { createRelay } from '../../src/index.ts';
import { inVariables, readEnvironment } from '../../src/server/environment.ts';
import { startRelayServer } from '../../src/server/server.ts';
import { open } from '../bench/raw.ts';
import { RelayProcess, variablesOf } from '../bench/relay-process.ts';
import { ADA, directory, optionsOf, pageEvent, post, service } from '../bench/site.ts';

const GET = 'GET';

describe('the standalone relay', () => {
  it('says that it runs and is ready, takes events, and drains on SIGTERM', async () => {
    const emulator = await service();
    const relay = await RelayProcess.start(variablesOf(emulator.baseUrl, emulator.apiKey, await directory()));
    const { origin } = new URL(relay.url);
    expect(await post(`${origin}/healthz`, '', {}, GET)).toMatchObject({ status: 200, text: 'ok\n' });
    await expect.poll(async () => (await post(`${origin}/readyz`, '', {}, GET)).status).toBe(200);
    expect(await post(`${origin}/`, '', {}, GET)).toMatchObject({ status: 404 });
    const ticket = await relay.ticket(ADA);
    expect(await relay.send({ batch: [pageEvent()], ticket }, '?v=1')).toMatchObject({ status: 202 });
    // A request that is on its way when the signal comes.
    const last = JSON.stringify({ batch: [pageEvent()], ticket });
    const socket = open(origin);
    await once(socket, 'connect');
    const head = ['POST /s HTTP/1.1', 'Host: h', `Origin: http://h`, 'Content-Type: application/json'];
    socket.write([...head, `Content-Length: ${last.length}`, '', last.slice(0, 40)].join('\r\n'));
    await relay.send({ batch: [pageEvent()], ticket });
    const ended = relay.end('SIGTERM');
    await expect.poll(() => post(`${origin}/readyz`, '', {}, GET).catch(() => 'refused')).toBe('refused');
    socket.write(last.slice(40));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 202 .*connection: close.*"taken":1/is);
    expect(await ended).toBe(0);
    expect(await emulator.events()).toHaveLength(3);
    expect(relay.output).not.toContain(emulator.apiKey);
  });

  it('says which variable is wrong, without its value', async () => {
    const right = variablesOf('http://127.0.0.1:9', 'canary-key', await directory());
    const wrong = [
      ['SLUICE_API_KEY', ''],
      ['SLUICE_BASE_URL', 'canary-key'],
      ['SLUICE_RELAY_SECRET', 'canary-secret'],
      ['SLUICE_RELAY_JWT', '{"canary'],
      ['SLUICE_RELAY_JWT', '{"algorithm":"HS256","audience":"a","keys":{"a":"canary"}}'],
      ['SLUICE_RELAY_ORIGINS', 'https://shop.example/'],
      ['SLUICE_RELAY_PORT', '99999'],
      ['SLUICE_RELAY_PATH', 'canary-key'],
      ['SLUICE_RELAY_TICKET_MS', 'an hour'],
    ] as const;
    for (const [variable, value] of wrong) {
      const message = refusalOf({ ...right, [variable]: value });
      expect(message).toMatch(new RegExp(`^${variable}: `));
      expect(message).not.toContain('canary');
    }
    const relay = await RelayProcess.start({ ...right, SLUICE_RELAY_PORT: 'canary' });
    await expect.poll(() => relay.child.exitCode).toBe(2);
    expect(relay.output).toMatch(/^sluice-relay: SLUICE_RELAY_PORT: /);
    expect(relay.output).not.toContain('canary');
  });

  it('says what to do where its port is in use', async () => {
    const right = variablesOf('http://127.0.0.1:9', 'key', await directory());
    const first = await RelayProcess.start(right);
    const { port } = new URL(first.url);
    const second = await RelayProcess.start({ ...right, SLUICE_RELAY_PORT: port });
    await expect.poll(() => second.child.exitCode).toBe(1);
    expect(second.output).toMatch(
      /^sluice-relay: cannot listen on port .*EADDRINUSE.*; end the program .*\n$/,
    );
  });
});

it('a relay that drains does not wait for connections without a request', async () => {
  const relay = createRelay({ ...optionsOf(await service()), directory: await directory() });
  const server = await startRelayServer(relay);
  const silent = open(server.url);
  await once(silent, 'connect');
  // The server has that connection by now.
  await post(new URL('/healthz', server.url).href, '', {}, GET);
  const closed = once(silent, 'close');
  await server.close(MAX_TIMER_MS);
  await closed;
});

/** What the process would say of these variables. */
function refusalOf(variables: Record<string, string>): string {
  try {
    createRelay(readEnvironment(variables));
    return 'nothing';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return inVariables(error);
  }
}
