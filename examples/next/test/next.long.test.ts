import { expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';
import { expectVisitOf } from '../../../testing/shop-page.ts';

it('delivers what pages and route handlers track, as Next.js builds it', async () => {
  const example = await Example.open('next');
  const next = example.bin('next', 'dist/bin/next');
  const quiet = { NEXT_TELEMETRY_DISABLED: '1' };
  expect(await example.start([next, 'build'], quiet).end()).toBe(0);
  const secret = { RELAY_SECRET: 'a secret of a relay in a test: long enough' };
  const server = example.start([next, 'start', '--port', '0'], { ...quiet, ...secret });
  const url = await server.url();
  await expectVisitOf(example, url);
  const order = { method: 'POST', body: JSON.stringify({ sku: 'C-3' }) };
  expect(await (await fetch(`${url}/api/orders`, order)).json()).toEqual({ sku: 'C-3' });
  await example.emulator.waitForEvents(1, { filter: { name: 'order' }, timeoutMs: 60_000 });
  await server.end('SIGTERM');
});
