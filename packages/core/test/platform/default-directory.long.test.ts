import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let state = '';
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(state, { recursive: true, force: true }));

describe('createTracker in a process of its own', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'names the option that is needed where the user has no home directory',
    async () => {
      const code = `
        const { createTracker } = await import(process.argv[1]);
        process.setuid(54_321);
        try { createTracker({ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email' }); }
        catch (error) { console.log(error.code, error.message); }`;
      expect(await run(code, {})).toMatch(
        /^SLUICE_CONFIG journalDirectory is required where the user has no home/,
      );
    },
  );

  it('names the option that is needed where HOME is empty: the journal would be in the working directory', async () => {
    const code = `
      const { createTracker } = await import(process.argv[1]);
      try { createTracker({ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email' }); }
      catch (error) { console.log(error.code, error.message); }`;
    expect(await run(code, { HOME: '' })).toMatch(
      /^SLUICE_CONFIG journalDirectory is required where the user/,
    );
  });

  it('throws nothing else than a ConfigError where the working directory is gone', async () => {
    const code = `
      const { createTracker } = await import(process.argv[1]);
      const { mkdtempSync, rmdirSync } = await import('node:fs');
      const gone = mkdtempSync(${JSON.stringify(join(state, 'gone-'))});
      process.chdir(gone);
      rmdirSync(gone);
      const options = { baseUrl: 'http://127.0.0.1:9', correlationKey: 'email' };
      createTracker(options);
      try { createTracker({ ...options, journalDirectory: 'relative' }); }
      catch (error) { console.log(error.code); }`;
    expect(await run(code, { HOME: state })).toBe('SLUICE_CONFIG\n');
  });
});

async function run(code: string, env: Record<string, string>): Promise<string> {
  const file = new URL('../../dist/index.js', import.meta.url).href;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code, file],
    { env },
  );
  return stdout;
}
