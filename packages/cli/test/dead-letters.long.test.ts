import { createTracker } from '@sluice/core';
import { describe, expect, it } from 'vitest';
import { makeFolder, startService } from './folder.ts';
import { sluice } from './sluice-process.ts';

/** Leaves three dead letters. */
async function leaveLetters(journalDirectory: string, baseUrl: string, apiKey: string): Promise<void> {
  const tracker = createTracker({
    ...{ baseUrl, apiKey, correlationKey: 'email', journalDirectory, logger: false },
    // The service takes the last one.
    delivery: { classify: () => [0, 1, 2].map((index) => ({ index, reason: `no ${index}` })) },
  });
  for (const name of ['purchase', 'purchase', 'refund', 'login'])
    tracker.track(name, { total: 1 }, { correlationValue: 'ada@example.com' });
  await tracker.flush();
  await tracker.close();
}

const ids = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);

describe('sluice dead-letters', () => {
  it('lists, shows, replays and deletes those that are chosen', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveLetters(folder, emulator.baseUrl, emulator.apiKey);
    const before = await emulator.countEvents();
    expect((await sluice(['dead-letters', 'list', folder])).output).toMatch(/ refund +no 2\n/);
    const listed = await sluice([
      'dead-letters',
      'list',
      folder,
      '--event',
      'purchase',
      '--newer-than',
      '1h',
      '--json',
    ]);
    const [first = ''] = ids(listed.output);
    expect(ids(listed.output)).toHaveLength(2);
    expect(JSON.parse((await sluice(['dead-letters', 'show', folder, first])).output)).toMatchObject({
      ...{ id: first, isAlive: false, event: { event: 'purchase', payload: { total: 1 } } },
    });
    expect((await sluice(['inspect', folder])).output).toContain('3 dead letters:');
    const replayed = await sluice(['dead-letters', 'replay', folder, '--reason', 'no 2', '--json'], env);
    expect(JSON.parse(replayed.output)).toMatchObject({ replayed: 1, delivered: 1, left: 0 });
    expect((await emulator.countEvents()).received).toBe(before.received + 1);
    const purged = await sluice(['dead-letters', 'purge', folder, first, '--json']);
    expect(JSON.parse(purged.output)).toEqual({ purged: 1 });
    const left = await sluice(['dead-letters', 'list', folder, '--json']);
    expect(ids(left.output)).toHaveLength(1);
    const gone = await sluice(['dead-letters', 'show', folder, first]);
    expect(gone).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`there is no dead letter ${first}`),
    });
  });
});
