import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startEmulator } from '@sluice/emulator';
import { afterAll, expect, it } from 'vitest';
import { UndiciTransport } from '../../src/transports/undici-transport.ts';
import { describeAtHostileService } from '../contracts/hostile-contract.ts';
import { describeTransport } from '../contracts/transport-contract.ts';
import { startHostileService } from '../hostile/hostile-service.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
const hostile = await startHostileService();
afterAll(() => Promise.all([emulator.close(), hostile.close()]));

const create = () => new UndiciTransport(2, 5_000);
describeTransport('UndiciTransport', create, emulator);
describeAtHostileService('UndiciTransport', create, hostile, {
  ...{ seesConnections: true, takesContinue: false, isBrowser: false },
  countTimers: () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
});

it('closes connections that have not come about', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const transport = create();
  const posted = transport.post({
    ...{ url: `https://127.0.0.1:${port}/`, headers: {}, body: new Uint8Array(2) },
    timeouts: { connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000 },
    signal: new AbortController().signal,
  });
  const [socket] = await once(silent, 'connection');
  await transport.close();
  expect(await posted).toMatchObject({ kind: 'failed', maybeSent: false });
  await once(socket.resume(), 'close');
  silent.close();
});
