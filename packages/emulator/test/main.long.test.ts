// Tests the built command, so they run after a build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './emulator-process.ts';
import { temporaryDirectory } from './service.ts';

describe('the emulator as a process', () => {
  it.each([
    [
      '--faults',
      '[{"kind":"status","status":7}]',
      '--faults[0].status must be a whole number from 200 to 599',
    ],
    ['--faults', '{"kind":"hang"}', '--faults must be an array of faults, got an object'],
    ['--faults', '[{]', '--faults must be JSON, or a file of it, got string "'],
    ['--behaviour', '{"maxEvents":0}', '--behaviour.maxEvents must be a whole number from 1'],
    ['--behaviour', 'null', '--behaviour must be an object, got null'],
  ])('ends with 2 for a file of %s that holds %s, and says why', async (flag, content, message) => {
    const path = join(temporaryDirectory(), 'options.json');
    writeFileSync(path, content);
    const { code, output, errors } = await run(flag, path);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(`sluice-emulator: ${message}`);
  });

  it.each([
    [['--bogus'], "Unknown option '--bogus'"],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--port', '5', '--api-port', '5'], '--api-port must differ from port'],
    [['--customers', 'missing.ndjson'], '--customers must be a file with one JSON object a line'],
    [
      ['--faults', 'missing.json'],
      '--faults must be JSON, or a file of it, got string "missing.json": ENOENT',
    ],
    [['--api-key', 'canary key'], '--api-key must be visible ASCII'],
  ])('ends with 2 for wrong arguments, %j, and says why', async (args, message) => {
    const { code, output, errors } = await run(...args);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(`sluice-emulator: ${message}`);
    expect(errors).not.toContain('canary');
  });
});
