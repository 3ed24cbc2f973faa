import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTracker, type Tracker } from '@sluice/core';
import { unreachable } from '../folder.ts';

/** So many fit in the memory of a tracker. */
const CHUNK = 5_000;

/** A tracker without a network, and with purchases in its journal. */
export async function fill(journalDirectory: string, events: number): Promise<Tracker> {
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory },
    ...{ logger: false, transport: unreachable },
  });
  for (let index = 0; index < events; index += 1) {
    const payload = { sku: `A-${index}`, total: index / 100, currency: 'EUR' };
    tracker.track('purchase', payload, { correlationValue: `user-${index % CHUNK}@example.com` });
    if (index % CHUNK === CHUNK - 1) await tracker.durable();
  }
  await tracker.durable();
  return tracker;
}

/** Overwrites some bytes of the first file of a journal, and cuts the second one off. */
export async function damage(journalDirectory: string): Promise<void> {
  const names = (await readdir(journalDirectory, { recursive: true })).sort();
  const [first = '', second = ''] = names.filter((name) => name.endsWith('.segment'));
  const file = await open(join(journalDirectory, first), 'r+');
  for (const position of [100, 5_000, 500_000]) await file.write('XXXX', position);
  await file.close();
  const cut = await open(join(journalDirectory, second), 'r+');
  await cut.truncate(1_000);
  await cut.close();
}
