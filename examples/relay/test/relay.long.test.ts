import { expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';
import { PATIENCE } from '../../../testing/patience.ts';

const ADA = 'ada@example.com';

it.each(['express', 'fastify', 'hono'])('%s: a page gets a ticket, and its event arrives', async (name) => {
  const example = await Example.open('relay');
  const server = example.start([`${name}.js`], {
    RELAY_SECRET: 'a secret of a relay in a test: long enough',
  });
  const url = await server.url();
  const send = async (body: object, cookie?: string) => {
    const headers = { 'content-type': 'application/json', origin: url, ...(cookie && { cookie }) };
    const answer = await fetch(`${url}/s`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  const { body } = await send({}, `session=${ADA}`);
  expect(body).toMatchObject({ customer: ADA });
  const event = { event: 'purchase', source: 'custom', uuid: crypto.randomUUID(), payload: { sku: 'A-1' } };
  expect(await send({ batch: [event], ticket: body.ticket })).toEqual({
    status: 202,
    body: { taken: 1, refused: [] },
  });
  await example.emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
  expect(await example.arrived()).toEqual([`${ADA} purchase {"sku":"A-1"}`]);
  expect(await server.end('SIGTERM')).toBe(0);
});
