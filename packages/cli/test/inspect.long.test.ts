import { on } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRelay } from '@sluice/relay';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { API_KEY, fillJournal, leaveEvents, makeFolder } from './folder.ts';
import { ended, sluice, start } from './sluice-process.ts';

describe('sluice inspect', () => {
  it('shows what a process left, without colours where nobody looks', async () => {
    const folder = makeFolder();
    await leaveEvents(folder, 3);
    const { code, output, errors } = await sluice(['inspect', folder], { FORCE_COLOR: '1', CI: 'true' });
    expect(output).toContain('3 events wait in 1 file');
    expect(output).toMatch(/[0-9a-f]{16} +gone +1 +3 /);
    expect(output).toContain(`sluice drain ${folder}`);
    expect(output).not.toContain('\u001b');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('reports a living process as JSON, and the process goes on', async () => {
    const folder = makeFolder();
    const tracker = await fillJournal(folder, 2);
    const { output } = await sluice(['inspect', folder, '--json']);
    const report = JSON.parse(output);
    expect(report.totals.events).toMatchObject({ waiting: 2, waitingAlive: 2, damagedBytes: 0 });
    expect(report.events).toMatchObject([{ isAlive: true, segments: [{ waiting: 2, released: 0 }] }]);
    tracker.track('later', {}, { correlationValue: 'ada@example.com' });
    await tracker.durable();
    await tracker.close({ timeoutMs: 0 });
    expect(tracker.stats()).toMatchObject({ accepted: 3, pending: 3, lastError: undefined });
  });

  it('follows a journal until Ctrl-C', async () => {
    const folder = makeFolder();
    const tracker = await fillJournal(folder, 1);
    const child = start(['inspect', folder, '--follow', '--json']);
    const seen: number[] = [];
    for await (const [line] of on(createInterface(child.stdout), 'line')) {
      seen.push(JSON.parse(line).totals.events.waiting);
      if (seen.includes(2)) break;
      // Once: many lines may come before this one is seen.
      if (seen.length > 1) continue;
      tracker.track('later', {}, { correlationValue: 'ada@example.com' });
      await tracker.durable();
    }
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({ code: 0, errors: '' });
    expect(seen[0]).toBe(1);
    await tracker.close({ timeoutMs: 0 });
  });

  it('finds the journal of a relay, and names it where the directory of the relay is given', async () => {
    const folder = makeFolder();
    const directory = join(folder, 'sluice', 'relay-8b49a6da8104e6c0');
    const account = { baseUrl: 'http://127.0.0.1:9', apiKey: API_KEY, correlationKey: 'email' };
    const secret = 'a secret of at least thirty-two characters';
    const relay = createRelay({ ...account, secret, directory, identify: () => undefined });
    await vi.waitFor(() => expect(relay.isReady()).toBe(true), PATIENCE);
    relay.tracker?.track('purchase', {}, { correlationValue: 'ada@example.com' });
    await relay.close({ timeoutMs: 0 });
    expect((await sluice(['inspect'], { XDG_STATE_HOME: folder })).output).toContain('1 event waits');
    for (const command of ['inspect', 'verify', 'drain', 'doctor'])
      expect(await sluice([command, directory], { SLUICE_BASE_URL: account.baseUrl })).toMatchObject({
        code: 2,
        errors: `sluice: ${directory} is that of a relay: give ${join(directory, 'journal')}\n`,
      });
  });

  it('finds the journal that sluice.config.json names, and asks which one if nothing does', async () => {
    const folder = makeFolder();
    const [journal, empty] = [join(folder, 'journal'), join(folder, 'empty')];
    await leaveEvents(journal, 1);
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify({ journalDirectory: journal }));
    expect((await sluice(['inspect'], {}, folder)).output).toContain('1 event waits');
    const { code, errors } = await sluice(['inspect'], { XDG_STATE_HOME: empty });
    expect({ code, errors }).toEqual({
      code: 2,
      errors: 'sluice: which journal? no journal was found; give its directory: sluice inspect DIR\n',
    });
  });
});
