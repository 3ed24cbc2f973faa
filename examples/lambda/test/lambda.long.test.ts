import { expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';

const [first, second] = ['A-1', 'B-2'].map(
  (sku) => `${JSON.stringify({ customer: 'ada@example.com', sku })}\n`,
);
const ARRIVED = ['A-1', 'B-2'].map((sku) => `ada@example.com purchase {"sku":"${sku}"}`);

it('has delivered when it answers: the host may freeze it', async () => {
  const example = await Example.open('lambda');
  const host = example.start(['test/host.js']);
  host.child.stdin?.write(first);
  await host.prints(/"pending":0/);
  host.child.kill('SIGSTOP');
  expect(await example.arrived()).toEqual(ARRIVED.slice(0, 1));
});

it('delivers with the next invocation what the service did not take', async () => {
  const example = await Example.open('lambda');
  await example.emulator.suspend();
  const host = example.start(['test/host.js']);
  host.child.stdin?.write(first);
  await host.prints(/"pending":1/);
  await example.emulator.resume();
  host.child.stdin?.write(second);
  await host.prints(/"pending":0/);
  expect((await example.arrived()).sort()).toEqual(ARRIVED);
  host.child.stdin?.end();
  expect(await host.end()).toBe(0);
});
