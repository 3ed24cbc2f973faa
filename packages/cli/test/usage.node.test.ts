import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../src/program.ts';
import { API_KEY, makeFolder } from './folder.ts';
import { sluice } from './sluice-process.ts';

describe('the command line', () => {
  it.each([
    [['inspekt'], "unknown command 'inspekt' (Did you mean inspect?) (see sluice --help)"],
    [[], 'name a command (see sluice --help)'],
    [['verify'], "missing required argument 'dir' (see sluice verify --help)"],
    [['verify', '.', `--apikey=${API_KEY}`], "unknown option '--apikey' (see sluice verify --help)"],
    [['drain', '.', '--rate', 'fast'], '--rate must be a number above 0, got "fast"'],
    [
      ['drain', '.', '--until', 'later'],
      '--until must be 06:30, 30m or a date such as 2026-11-27T06:30:00Z, got "later"',
    ],
    [
      ['drain', '.'],
      'baseUrl is missing: give --base-url URL, set SLUICE_BASE_URL, or put it into sluice.config.json',
    ],
    [
      ['send', 'x', '--api-key', API_KEY],
      'a key on the command line can be read by everybody on this machine: set SLUICE_API_KEY, or use --api-key-file FILE',
    ],
    [['dead-letters', 'purge', '.'], 'purge deletes for good: say which by ids or flags, or give --all'],
  ])('answers %j with one line that says what to do, and exit code 2', async (args, message) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    expect(await run(args)).toBe(2);
    expect(written.mock.calls).toEqual([[`sluice: ${message}\n`]]);
  });

  it('shows help with examples and exit codes', async () => {
    const { code, output } = await sluice(['--help']);
    expect(output).toContain('Exit codes: 0 all is done');
    expect(code).toBe(0);
    expect((await sluice(['drain', '--help'])).output).toContain('sluice drain /data/sluice --rate 500');
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect((await sluice(['--version'])).output).toBe(`${version}\n`);
  });

  it('shows nothing of a configuration that is no JSON: it may hold the key', async () => {
    const folder = makeFolder();
    await writeFile(join(folder, 'sluice.config.json'), `{"apiKey": "${API_KEY}"`);
    const { code, errors } = await sluice(['inspect'], {}, folder);
    expect(errors).toMatch(/^sluice: sluice.config.json cannot be read as JSON: .*\n$/);
    expect(errors).not.toContain(API_KEY);
    expect(code).toBe(2);
  });

  it('reports an error as JSON where results are JSON', async () => {
    const { code, output, errors } = await sluice(['verify', '/no/such/place', '--json']);
    expect(JSON.parse(errors).error).toMatchObject({ code: 'SLUICE_STORAGE' });
    expect({ code, output }).toEqual({ code: 1, output: '' });
  });
});
