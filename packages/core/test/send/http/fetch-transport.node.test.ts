import { startEmulator } from '@sluice/emulator';
import { afterAll, expect, it, vi } from 'vitest';
import { FetchTransport } from '../../../src/send/http/fetch-transport.ts';
import { describeAtHostileService } from '../../contracts/hostile-contract.ts';
import { describeTransport } from '../../contracts/transport-contract.ts';
import { startHostileService } from '../../hostile/hostile-service.ts';
import { LONG } from '../../hostile/trial.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
const hostile = await startHostileService();
afterAll(() => Promise.all([emulator.close(), hostile.close()]));

const create = () => new FetchTransport();
describeTransport('FetchTransport on Node', create, emulator);
describeAtHostileService('FetchTransport on Node', create, hostile, {
  ...{ seesConnections: false, takesContinue: false, isBrowser: false },
  endsNonsense: true,
  takesEarlyAnswers: true,
  countTimers: () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
});

it('asks for nothing that the runtime does not know', async () => {
  // Fails as workerd does.
  vi.stubGlobal('Request', class {});
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    for (const field of ['cache', 'credentials', 'keepalive', 'mode', 'referrerPolicy']) {
      if (field in init) throw new Error(`The '${field}' field is not implemented.`);
    }
    return new Response('fine');
  });
  const outcome = await create().post({
    ...{ url: 'http://service.invalid/', headers: {}, body: new Uint8Array(2) },
    timeouts: LONG,
    signal: new AbortController().signal,
  });
  vi.unstubAllGlobals();
  expect(outcome).toEqual({ kind: 'answered', status: 200, retryAfter: undefined, body: 'fine' });
});

it('waits bodyMs for a body whose stream does not end when its request is aborted', async () => {
  const pull = () => new Promise<void>(() => {});
  vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ pull })));
  const outcome = await create().post({
    ...{ url: 'http://service.invalid/', headers: {}, body: new Uint8Array(2) },
    timeouts: { ...LONG, bodyMs: 100 },
    signal: new AbortController().signal,
  });
  vi.unstubAllGlobals();
  expect(outcome).toEqual({ kind: 'answered', status: 200, retryAfter: undefined, body: '' });
});
