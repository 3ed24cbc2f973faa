import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { HELP, inFlagWords, parseCommandLine } from '../src/running/command-line.ts';
import { checkOptions } from '../src/running/options.ts';
import { temporaryDirectory } from './service.ts';

describe('the command line', () => {
  it('has a flag for every option', () => {
    const [customers, faults] = ['customers', 'faults'].map((name) => join(temporaryDirectory(), name)) as [
      string,
      string,
    ];
    writeFileSync(customers, '{"email":"ada@example.com"}');
    writeFileSync(faults, '\uFEFF[{"kind":"hang"}]');
    const args = [
      '--port',
      '1',
      '--api-port=2',
      '--host',
      'h',
      '--data',
      'd',
      '--api-key',
      'k',
      '--primary-key',
      'p',
    ];
    expect(
      parseCommandLine([
        ...args,
        '--customers',
        customers,
        '--preset',
        'strict',
        '--behaviour',
        '{"maxEvents":20}',
        '--faults',
        faults,
        '--fault-seed',
        '7',
        '--log-level',
        'info',
      ]),
    ).toEqual({
      help: false,
      version: false,
      logLevel: 'info',
      options: {
        port: 1,
        apiPort: 2,
        host: 'h',
        data: 'd',
        apiKey: 'k',
        primaryKey: 'p',
        preset: 'strict',
        customers: [{ email: 'ada@example.com' }],
        behaviour: { maxEvents: 20 },
        faults: [{ kind: 'hang' }],
        faultSeed: 7,
      },
    });
  });

  it('leaves the key to a data directory', () => {
    expect(parseCommandLine(['--data', 'd']).options.apiKey).toBeUndefined();
  });

  it.each([
    ['localhost', 'emulator_local'],
    ['::1', 'emulator_local'],
    ['0.0.0.0', undefined],
    ['192.168.1.4', undefined],
  ])('has the key that everybody knows on loopback only: %s', (host, key) => {
    expect(parseCommandLine(['--host', host]).options.apiKey).toBe(key);
    expect(parseCommandLine(['--host', host, '--api-key', 'k']).options.apiKey).toBe('k');
  });

  it('keeps all events where it is told to', () => {
    expect(parseCommandLine(['--max-events', 'all']).options.maxEvents).toBe(Number.POSITIVE_INFINITY);
    expect(parseCommandLine(['--max-events', '7']).options.maxEvents).toBe(7);
  });

  it('may be empty', () => {
    expect(parseCommandLine([])).toEqual({
      help: false,
      version: false,
      logLevel: 'warn',
      options: { port: 4100, apiPort: 4200, apiKey: 'emulator_local' },
    });
  });

  it.each([
    [['--port', 'abc'], '--port must be a whole number, got string "abc"'],
    [['--fault-seed', 'x'], '--fault-seed must be a whole number, got string "x"'],
    [['--max-events', 'none'], '--max-events must be a whole number, got string "none"'],
    [['--port', '1e3'], '--port must be a whole number, got string "1e3"'],
    [['--max-events', ''], '--max-events must be a whole number, got an empty string'],
    [['--faults', '[{'], '--faults must be JSON, or a file of it, got string "[{"'],
    [
      ['--log-level', 'loud'],
      '--log-level must be "debug", "info", "warn", "error" or "silent", got string "loud"',
    ],
    [['--bogus'], "Unknown option '--bogus'"],
    [['--port'], "'--port <value>' argument missing"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('is refused where it is wrong: %j', (args, message) => {
    let failure: unknown;
    try {
      parseCommandLine(args);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(ConfigError);
    expect(inFlagWords(failure as ConfigError)).toContain(message);
  });

  it('is explained by its help', () => {
    for (const flag of ['--help', '-h']) expect(parseCommandLine([flag]).help).toBe(true);
    for (const flag of ['--port N', '--api-port N', '--data DIR', '--primary-key NAME'])
      expect(HELP).toContain(flag);
  });

  it('has each option, by its flag, in the table of the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const table = readme.slice(readme.indexOf('## Options'), readme.indexOf('## What an emulator can do'));
    const named = (column: number, pattern: RegExp) =>
      table
        .split('\n')
        .flatMap((line) => line.split('|')[column]?.match(pattern) ?? [])
        .toSorted();
    const explained = HELP.match(/^ {2}--[a-z-]+/gm)?.map((flag) => flag.trim()) ?? [];
    expect(named(2, /--[a-z][a-z-]+/g)).toEqual(explained.filter((flag) => flag !== '--help').toSorted());
    for (const flag of explained) expect(() => parseCommandLine([flag])).not.toThrow('Unknown option');
    const names = named(1, /(?<=`)[a-zA-Z]+(?=`)/g).filter((name) => name !== 'startEmulator');
    let message = '';
    try {
      checkOptions({ unknown: 1 } as object);
    } catch (error) {
      message = String(error);
    }
    const known = message.replace(/.*; there are /, '');
    expect(names).toEqual(known.split(', ').toSorted());
  });
});
