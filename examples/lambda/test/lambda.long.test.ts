import { expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';
import { PATIENCE } from '../../../testing/patience.ts';

const sale = (sku: string, leftMs: number) =>
  `${JSON.stringify({ customer: 'ada@example.com', sku, leftMs })}\n`;
const ARRIVED = ['A-1', 'B-2'].map((sku) => `ada@example.com purchase {"sku":"${sku}"}`);

it('has delivered when it answers: the host may freeze it', async () => {
  const example = await Example.open('lambda');
  const host = example.start(['test/host.js']);
  host.child.stdin?.write(sale('A-1', PATIENCE.timeout));
  await host.prints(/"pending":0/);
  host.child.kill('SIGSTOP');
  expect(await example.arrived()).toEqual(ARRIVED.slice(0, 1));
});

it('delivers with the next invocation what the service did not take', async () => {
  const example = await Example.open('lambda');
  await example.emulator.suspend();
  const host = example.start(['test/host.js']);
  host.child.stdin?.write(sale('A-1', 2_000));
  await host.prints(/"pending":1/);
  await example.emulator.resume();
  host.child.stdin?.write(sale('B-2', PATIENCE.timeout));
  await host.prints(/"pending":0/);
  expect((await example.arrived()).sort()).toEqual(ARRIVED);
  host.child.stdin?.end();
  expect(await host.end()).toBe(0);
});
