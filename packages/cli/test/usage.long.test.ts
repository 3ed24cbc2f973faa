import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../src/program.ts';
import { API_KEY, makeFolder } from './folder.ts';
import { MAIN, sluice } from './sluice-process.ts';

/** Each write to it fails, as on a full disk. */
const FULL_DISK = '/dev/full';
const THIS = fileURLToPath(import.meta.url);

describe('the command line', () => {
  it.each([
    [['inspekt'], "unknown command 'inspekt': did you mean inspect? (see sluice --help)"],
    [['help', 'nothing'], "unknown command 'nothing' (see sluice --help)"],
    [['inspect', '--follow=3'], "option '--follow' takes no value (see sluice inspect --help)"],
    [['drain', ''], 'an argument is empty: is a variable not set?'],
    [['send', 'x', '--event='], 'an argument is empty: is a variable not set?'],
    [
      ['inspect', '/nowhere'],
      'there is no directory /nowhere: correct the path, or the settings that lead to it',
    ],
    [['verify', THIS], `${THIS} is no directory: give that of a journal`],
    [
      ['dead-letters', 'list', '/nowhere'],
      'there is no directory /nowhere: correct the path, or the settings that lead to it',
    ],
    [
      ['send', '/dev/null', '--base-url', 'http://127.0.0.1:9', '--correlation-key', 'email'],
      '/dev/null is no regular file: correct the path, or give - for standard input',
    ],
    [[], 'name a command (see sluice --help)'],
    [['verify'], "missing required argument 'dir' (see sluice verify --help)"],
    [['verify', '.', `--apikey=${API_KEY}`], "unknown option '--apikey' (see sluice verify --help)"],
    [['send', 'x.csv', '--map', 'a=b', '--map', 'c=d'], '--map is given twice: give it once'],
    [
      ['dead-letters', 'purge', '.', '--status', '400', '--status=413'],
      '--status is given twice: give it once',
    ],
    [['drain', '.', '--rate', 'fast'], '--rate must be a number above 0, got "fast"'],
    [
      ['drain', '.', '--until', 'later'],
      '--until must be 06:30, 30m or a date such as 2026-11-27T06:30:00Z, got "later"',
    ],
    [['drain', '.', '--until', '2020-01-01'], '--until must be in the future, got "2020-01-01"'],
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

  it.each([
    '',
    'inspect',
    'verify',
    'drain',
    'dead-letters',
    'dead-letters show',
    'send',
    'doctor',
    'emulator',
    'relay',
  ])('shows examples in the help of %j', async (words) => {
    const { code, output } = await sluice([...words.split(' ').filter(Boolean), '--help']);
    expect(output).toMatch(/\nExamples?:\n {2}\S/);
    expect(code).toBe(0);
  });

  it('wants the path of the journal in a configuration to be a text', async () => {
    const folder = makeFolder();
    await writeFile(join(folder, 'sluice.config.json'), '{"journalDirectory": 7}');
    const { code, errors } = await sluice(['inspect'], {}, folder);
    expect(errors).toMatch(/^sluice: journalDirectory must be the path of a directory: .*\n$/);
    expect(code).toBe(2);
  });

  it('shows nothing of a configuration that is no JSON: it may hold the key', async () => {
    const folder = makeFolder();
    await writeFile(join(folder, 'sluice.config.json'), `{"apiKey": "${API_KEY}"`);
    const { code, errors } = await sluice(['inspect'], {}, folder);
    expect(errors).toMatch(/^sluice: sluice.config.json cannot be read as JSON: .*\n$/);
    expect(errors).not.toContain(API_KEY);
    expect(code).toBe(2);
  });

  it.runIf(existsSync(FULL_DISK))('says in one line that the results cannot be written', () => {
    const full = openSync(FULL_DISK, 'w');
    const ended = spawnSync(process.execPath, [MAIN, '--help'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(String(ended.stderr)).toMatch(/^sluice: cannot write the results: ENOSPC.*\n$/);
    expect(ended.status).toBe(1);
  });

  it('reports an error as JSON where results are JSON', async () => {
    const folder = makeFolder();
    await chmod(folder, 0o777);
    const { code, output, errors } = await sluice(['inspect', folder, '--json']);
    expect(JSON.parse(errors).error).toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('chmod go-w'),
    });
    expect({ code, output }).toEqual({ code: 1, output: '' });
  });
});
