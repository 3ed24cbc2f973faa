import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { Example } from '../../../testing/example.ts';
import { PATIENCE } from '../../../testing/patience.ts';

it('ends at once, and a process in the background delivers what all runs left, and leaves nothing', async () => {
  const example = await Example.open('cli-tool');
  for (const command of ['build', 'test', 'deploy']) {
    const run = example.start(['main.js', command, 'src']);
    await run.prints(new RegExp(`${command}: done`));
    expect(await run.end()).toBe(0);
  }
  const events = await example.emulator.waitForEvents(3, { timeoutMs: PATIENCE.timeout });
  const commands = new Set(events.map(({ event }) => event.payload?.command));
  expect(commands).toEqual(new Set(['build', 'test', 'deploy']));
  // The process in the background deletes the journal, and then its lock, before it ends.
  const files = () => readdirSync(example.home, { recursive: true, withFileTypes: true });
  await vi.waitFor(() => expect(files().filter((entry) => entry.isFile())).toEqual([]), PATIENCE);
});
