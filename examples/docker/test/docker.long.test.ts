import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { Example } from '../../../testing/example.ts';

it('answers and delivers where the volume cannot be written', async () => {
  const example = await Example.open('docker');
  const { emulator } = example;
  const file = join(example.home, 'file');
  writeFileSync(file, '');
  const running = example.start(['main.js'], { SLUICE_JOURNAL: join(file, 'journal') });
  const url = await running.url();
  for (const path of ['/a', '/b']) expect((await fetch(url + path)).status).toBe(200);
  expect(await running.end('SIGTERM')).toBe(0);
  expect(await emulator.countEvents()).toMatchObject({ unique: 2 });
});

it('delivers after a restart what a killed container had answered, from the volume', async () => {
  const example = await Example.open('docker');
  const { folder, emulator } = example;
  const [, command = ''] = /^CMD (.+)$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8')) ?? [];
  const [program, ...args] = JSON.parse(command);
  expect(program).toBe('node');

  // A directory takes the place of the volume.
  const { services, volumes } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'));
  const [volume, path] = services.shop.volumes[0].split(':');
  expect(volumes).toHaveProperty(volume);
  expect(services.shop.environment.SLUICE_JOURNAL).toBe(path);
  const volumeEnv = { SLUICE_JOURNAL: join(example.home, 'volume') };

  await emulator.suspend();
  const killed = example.start(args, volumeEnv);
  const url = await killed.url();
  for (const path of ['/a', '/b', '/c']) expect((await fetch(url + path)).status).toBe(200);
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  expect(await example.arrived()).toEqual([]);

  await emulator.resume();
  const restarted = example.start(args, volumeEnv);
  await restarted.url();
  expect(await restarted.end('SIGTERM')).toBe(0);
  expect(await example.arrived()).toEqual(
    ['/a', '/b', '/c'].map((path) => `ada@example.com visit ${JSON.stringify({ path })}`),
  );
});

it('ends at SIGTERM, though a proxy goes on on the connections that it keeps', async () => {
  const example = await Example.open('docker');
  const running = example.start(['main.js'], { SLUICE_JOURNAL: join(example.home, 'volume') });
  const url = await running.url();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const visit = () => void get(url, { agent }, (response) => response.resume()).on('error', () => {});
  const visits = setInterval(visit, 5);
  onTestFinished(() => clearInterval(visits));
  await fetch(url);
  expect(await running.end('SIGTERM')).toBe(0);
});
