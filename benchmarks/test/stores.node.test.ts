import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type StoreName } from '../src/stores/open-store.ts';
import { sampleEvent } from '../src/workload/sample-event.ts';

const TURN_EVENTS = 10;
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-stores-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Gives turns to a store without a pause between them. Resolves to the number of events that it contains, and of its commits. */
async function store(name: StoreName, turns: number, groupEvents: number) {
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

describe('what Sluice is held against for durable events', () => {
  it('writes by hand all that came meanwhile with one sync', async () => {
    const { kept, commits } = await store('bare', 20, 1);
    expect(kept).toBe(20 * TURN_EVENTS);
    // Two groups are being written; the rest waits for the first of them.
    expect(commits).toBeLessThanOrEqual(3);
  });

  it.each(['sqlite', 'level', 'lmdb'] as const)(
    'commits groups of the size that it is told: %s',
    async (name) => {
      expect(await store(name, 5, 2 * TURN_EVENTS)).toEqual({ kept: 5 * TURN_EVENTS, commits: 3 });
    },
  );

  it('counts the syncs of Sluice', async () => {
    const { kept, commits } = await store('sluice', 5, 0);
    expect(kept).toBe(5 * TURN_EVENTS);
    expect(commits).toBeGreaterThanOrEqual(1);
  });
});
