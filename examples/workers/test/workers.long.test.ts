import { expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';

it('answers without waiting, and delivers what each request tracked before its work ends', async () => {
  const example = await Example.open('workers');
  const host = example.start(['--conditions=workerd', 'test/host.js']);
  const url = await host.url();
  await example.emulator.suspend();
  const paths = Array.from({ length: 10 }, (_, number) => `/page/${number}`);
  const headers = { 'x-customer': 'ada@example.com' };
  const answers = await Promise.all(paths.map(async (path) => (await fetch(url + path, { headers })).text()));
  expect(answers).toEqual(paths.map(() => 'hello\n'));
  expect(await example.arrived()).toEqual([]);

  await example.emulator.resume();
  expect(await host.end('SIGTERM')).toBe(0);
  await host.prints(/waited for 10/);
  const events = paths.map((path) => `ada@example.com visit ${JSON.stringify({ path })}`);
  expect((await example.arrived()).sort()).toEqual(events);
});
