import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore, type StoreName } from '../src/stores/open-store.ts';
import { sampleEvent } from '../src/workload/sample-event.ts';

export const TURN_EVENTS = 10;

/** Gives turns to a store without a pause between them. Resolves to the number of events that it contains, and of its commits. */
export async function fillStore(name: StoreName, turns: number, groupEvents: number) {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-stores-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const opened = await openStore(name, join(parent, name), groupEvents);
  for (let turn = 0; turn < turns; turn += 1) {
    for (let number = 0; number < TURN_EVENTS; number += 1) opened.add(sampleEvent(number));
    opened.endTurn();
  }
  await opened.settle();
  const { commits } = opened;
  const kept = await opened.count();
  await opened.close();
  return { kept, commits };
}
