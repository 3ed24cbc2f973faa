import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder, startService } from './folder.ts';
import { ended, sluice, start } from './sluice-process.ts';

const EVENTS = 30_000;
const BATCH = 200;
const CONCURRENCY = 2;
const KILLS = 5;

it('goes on after each SIGKILL, and sends again only what was in a request', async () => {
  const [folder, { emulator, env }] = [makeFolder(), await startService()];
  const path = join(folder, 'rows.json');
  await writeFile(path, JSON.stringify(Array.from({ length: EVENTS }, (_, row) => ({ row, text: '],[{"' }))));
  const config = { batch: { maxEvents: BATCH }, delivery: { maxConcurrency: CONCURRENCY } };
  await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(config));
  const args = [
    'send',
    path,
    '--event',
    'row',
    '--customer',
    'ada@example.com',
    '--journal',
    join(folder, 'j'),
  ];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const child = start(args, env, folder);
    const { unique } = await emulator.countEvents();
    await emulator.waitForEvents(unique + 5 * BATCH, { timeoutMs: 60_000 });
    child.kill('SIGKILL');
    await ended(child);
  }
  const { code, output } = await sluice([...args, '--json'], env, folder);
  expect(JSON.parse(output)).toMatchObject({ records: EVENTS, rejected: 0, left: 0 });
  const { unique, received } = await emulator.countEvents();
  expect(unique).toBe(EVENTS);
  expect(received - unique).toBeLessThanOrEqual(KILLS * CONCURRENCY * BATCH);
  expect(code).toBe(0);
});

it('sends again only what was in a request also where records are so large that what was delivered is soon gone', async () => {
  const [folder, { emulator, env }] = [makeFolder(), await startService()];
  const config = {
    batch: { maxEvents: 10 },
    delivery: { maxConcurrency: CONCURRENCY },
    // Not all is read before.
    storage: { maxBytes: 32 * 1024 * 1024 },
  };
  await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(config));
  const text = 'x'.repeat(60_000);
  const rows = Array.from({ length: 950 }, (_, row) => JSON.stringify({ row, text }));
  await writeFile(join(folder, 'rows.ndjson'), rows.join('\n'));
  const args = ['send', 'rows.ndjson', '--event', 'row', '--customer', 'ada@example.com', '--journal', 'j'];
  const child = start(args, env, folder);
  await emulator.waitForEvents(600, { timeoutMs: 60_000 });
  child.kill('SIGKILL');
  await ended(child);
  expect((await sluice(args, env, folder)).code).toBe(0);
  const { unique, received } = await emulator.countEvents();
  expect(unique).toBe(950);
  expect(received - unique).toBeLessThanOrEqual(CONCURRENCY * 10);
});
