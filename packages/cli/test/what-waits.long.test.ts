import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillJournal, leaveEvents, leaveLetters, makeFolder, startService } from './folder.ts';
import { sluice } from './sluice-process.ts';

const EVENT = '{"event":"login","correlationValue":"ada@example.com"}\n';
const lettersIn = async (journal: string) =>
  (await sluice(['dead-letters', 'list', journal, '--json'])).output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
const waitingIn = async (journal: string) => (await sluice(['inspect', journal, '--json'])).output;

/** The settings of a server, which the commands share. */
async function shared(folder: string, options: string): Promise<string> {
  const config = join(folder, 'sluice.config.mjs');
  await writeFile(config, `export default ${options};`);
  return config;
}

describe('what waits in a journal', () => {
  it('makes no room for dead letters that are replayed: they stay where they are', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const journal = join(folder, 'journal');
    await leaveLetters(journal, emulator);
    await leaveEvents(journal, 2_000);
    const config = await shared(folder, '{ storage: { maxBytes: 65_536 } }');
    const away = { ...env, SLUICE_BASE_URL: 'http://127.0.0.1:9' };
    const replayed = await sluice(['dead-letters', 'replay', journal, '--config', config], away);
    expect(replayed).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`if the journal is full, make room first: sluice drain ${journal}`),
    });
    expect(await lettersIn(journal)).toHaveLength(3);
    const drained = await sluice(['drain', journal, '--config', config, '--json'], env);
    expect(JSON.parse(drained.output)).toMatchObject({ delivered: 2_000, dropped: 0, left: 0 });
  });

  it('is not deleted by settings that deny consent: they are an error', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const journal = join(folder, 'journal');
    await leaveLetters(journal, emulator);
    await leaveEvents(journal, 5);
    const before = await waitingIn(journal);
    const config = await shared(folder, "{ consent: 'denied' }");
    for (const command of [['drain'], ['dead-letters', 'replay']])
      expect(await sluice([...command, journal, '--config', config], env)).toEqual({
        ...{ code: 2, output: '' },
        errors:
          "sluice: consent is 'denied' in sluice.config.*: all that waits would be deleted; correct it, or --config\n",
      });
    expect(await waitingIn(journal)).toBe(before);
  });

  it('is counted with --json where a living process has it', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveLetters(folder, emulator);
    const owner = await fillJournal(folder, 3);
    // It takes over the letters.
    expect(await owner.deadLetters.count()).toBe(3);
    const [id = ''] = await lettersIn(folder);
    expect(await sluice(['drain', folder, '--json'], env)).toMatchObject({
      ...{ code: 0, output: '{"delivered":0,"left":0,"alive":3}\n' },
    });
    expect(await sluice(['dead-letters', 'replay', folder, id, '--json'], env)).toMatchObject({
      ...{ code: 1, output: '{"replayed":0,"delivered":0,"left":0,"alive":1}\n' },
    });
    expect(await sluice(['dead-letters', 'purge', folder, '--all', '--json'], env)).toMatchObject({
      ...{ code: 0, output: '{"purged":0,"alive":3}\n' },
    });
    await owner.close({ timeoutMs: 0 });
  });

  it('is not printed beside the result, though the settings want to see each step', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const journal = join(folder, 'journal');
    await leaveEvents(journal, 2);
    const config = await shared(folder, '{ debug: true }');
    const { output } = await sluice(['drain', journal, '--config', config, '--json'], env);
    expect(JSON.parse(output)).toMatchObject({ delivered: 2 });
    expect((await sluice(['doctor', journal, '--config', config, '--json'], env)).output).not.toContain(
      'Sluice tracked',
    );
  });
});

describe('sluice send', () => {
  it('takes no directory of a relay, whose events no other command would find', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const relay = join(folder, 'relay');
    await mkdir(relay);
    await writeFile(join(relay, 'window.key'), '');
    await writeFile(join(folder, 'events.ndjson'), EVENT);
    expect(await sluice(['send', 'events.ndjson', '--journal', relay], env, folder)).toMatchObject({
      ...{ code: 2, errors: `sluice: ${relay} is that of a relay: give ${join(relay, 'journal')}\n` },
    });
  });

  it('leaves no bad records of an earlier sending beside a file that has none any more', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const [path, rejects] = ['events.ndjson', 'events.ndjson.rejects.ndjson'].map((name) =>
      join(folder, name),
    );
    for (const [text, code] of [
      [`${EVENT}{"event":\n`, 1],
      [EVENT, 0],
    ] as const) {
      await writeFile(path ?? '', text);
      expect((await sluice(['send', path ?? '', '--journal', 'j'], env, folder)).code).toBe(code);
    }
    await expect(readFile(rejects ?? '')).rejects.toThrow('ENOENT');
  });
});
