import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { leaveLetters, makeFolder, startService } from './folder.ts';
import { ended, sluice, start } from './sluice-process.ts';

const ids = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);

describe('sluice dead-letters', () => {
  it('lists, shows, replays and deletes those that are chosen', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveLetters(folder, emulator);
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
    const unknown = await sluice(['dead-letters', 'replay', folder, first, 'no-such-id'], env);
    expect(unknown).toMatchObject({ code: 1, errors: expect.stringContaining('no dead letter no-such-id') });
    const none = await sluice(['dead-letters', 'replay', folder, '--status', '599'], env);
    expect(none).toEqual({ code: 0, output: 'no dead letters to replay\n', errors: '' });
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

  it('takes no other letters with those that are chosen, however old they are', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60 * 24 * 3_600_000 });
    await leaveLetters(folder, emulator).finally(() => void vi.useRealTimers());
    const [first = ''] = ids((await sluice(['dead-letters', 'list', folder, '--json'])).output);
    expect((await sluice(['dead-letters', 'purge', folder, first])).code).toBe(0);
    expect(ids((await sluice(['dead-letters', 'list', folder, '--json'])).output)).toHaveLength(2);
    const replayed = await sluice(['dead-letters', 'replay', folder, '--event', 'purchase', '--json'], env);
    expect(JSON.parse(replayed.output)).toMatchObject({ replayed: 1, delivered: 1 });
    expect(ids((await sluice(['dead-letters', 'list', folder, '--json'])).output)).toHaveLength(1);
  });

  it('ends a replay on Ctrl-C, and keeps what the service did not answer', async () => {
    const [folder, { emulator }] = [makeFolder(), await startService()];
    await leaveLetters(folder, emulator);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const child = start([
      'dead-letters',
      'replay',
      folder,
      '--base-url',
      `http://127.0.0.1:${port}`,
      '--json',
    ]);
    await once(server, 'request');
    child.kill('SIGINT');
    const { code, output } = await ended(child);
    expect(JSON.parse(output)).toMatchObject({ replayed: 3, delivered: 0, left: 3 });
    expect(code).toBe(130);
  });
});
