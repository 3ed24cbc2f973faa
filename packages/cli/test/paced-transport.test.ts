import { expect, it } from 'vitest';
import { PacedTransport } from '../src/delivery/paced-transport.ts';
import { startService } from './folder.ts';

it('starts no request after it was told to stop', async () => {
  const { emulator } = await startService();
  const stop = new AbortController();
  const transport = new PacedTransport(
    {},
    { perSecond: 1_000, mostEvents: 1, ended: () => 0, signal: stop.signal },
  );
  const post = () =>
    transport.post({
      url: `${emulator.baseUrl}/none`,
      headers: {},
      body: new Uint8Array(1),
      timeouts: { connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000 },
      signal: new AbortController().signal,
    });
  expect(await post()).toMatchObject({ kind: 'answered', status: 404 });
  stop.abort();
  expect(await post()).toMatchObject({ kind: 'failed', maybeSent: false });
  await transport.close();
});
