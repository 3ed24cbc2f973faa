import { isSluiceError } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../src/index.ts';
import { checkOptions } from '../src/running/options.ts';
import { admin } from './service.ts';

describe('an option of the emulator', () => {
  it.each<[object, string, string]>([
    [{ prot: 1 }, 'prot', 'prot is not an option; there are port, apiPort, host'],
    [{ port: -1 }, 'port', 'port must be a whole number from 0 to 65535, got number -1'],
    [{ port: '80' }, 'port', 'got string "80"'],
    [{ apiPort: 65_536 }, 'apiPort', 'got number 65536'],
    [{ apiPort: 1.5 }, 'apiPort', 'got number 1.5'],
    [{ port: 4100, apiPort: 4100 }, 'apiPort', 'apiPort must differ from port'],
    [{ host: '' }, 'host', 'host must be a host name or an IP address, got an empty string'],
    [{ data: '' }, 'data', 'data must be the path of a directory, got an empty string'],
    [{ apiKey: 'canary key' }, 'apiKey', 'apiKey must be visible ASCII characters'],
    [{ apiKey: 'canary\n' }, 'apiKey', 'apiKey must be visible ASCII characters'],
    [{ primaryKey: '' }, 'primaryKey', 'primaryKey must be the name of an attribute, got an empty string'],
    [
      { primaryKey: 'email', customers: {} },
      'customers',
      'customers must be an iterable of objects, got an object',
    ],
    [{ primaryKey: 'email', customers: 'a.ndjson' }, 'customers', 'got string "a.ndjson"'],
    [{ logger: {} }, 'logger', 'logger must be an object with debug, info, warn and error'],
    [{ logger: null }, 'logger', 'got null'],
    [
      { behaviour: { maxBodyBytes: 0 } },
      'behaviour.maxBodyBytes',
      'behaviour.maxBodyBytes must be a whole number from 1 to 268435456, got number 0',
    ],
    [{ behaviour: null }, 'behaviour', 'behaviour must be an object, got null'],
    [{ maxEvents: 0 }, 'maxEvents', 'or Infinity (on the command line: all), got number 0'],
  ])('that is wrong, %o, is named with what is allowed', async (options, option, message) => {
    const failure: unknown = await startEmulator(options).catch((error: unknown) => error);
    expect(isSluiceError(failure, 'SLUICE_CONFIG')).toBe(true);
    expect(failure).toMatchObject({ option, message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('canary');
  });

  it.each([null, 7, 'memory'])('cannot come in %j', async (options) => {
    const wrong = options as EmulatorOptions;
    await expect(startEmulator(wrong)).rejects.toThrow(/^options must be an object, got /);
  });

  it('may be left out or undefined: memory, this machine only, any free ports', async () => {
    const all: EmulatorOptions = {
      port: undefined,
      host: undefined,
      data: undefined,
      behaviour: undefined,
    };
    for (const options of [{}, all]) {
      expect(checkOptions(options)).toMatchObject({
        port: 0,
        apiPort: 0,
        host: '127.0.0.1',
        data: undefined,
      });
      await using emulator = await startEmulator(options);
      expect(emulator.behaviour).toMatchObject({ maxBodyBytes: 33_554_432, compression: false });
    }
  });

  it.each([
    [undefined, 1_000_000],
    [7, 7],
    [Number.POSITIVE_INFINITY, null],
  ])('maxEvents %j is told to the pages as %j', async (maxEvents, told) => {
    await using emulator = await startEmulator({ maxEvents });
    expect((await admin(emulator, '/status')).body).toMatchObject({ maxEvents: told });
  });

  it('that gives a port already taken is named', async () => {
    await using emulator = await startEmulator();
    const port = Number(new URL(emulator.baseUrl).port);
    await expect(startEmulator({ port })).rejects.toMatchObject({
      option: 'port',
      message: expect.stringContaining(`port ${port} on host "127.0.0.1" is in use`),
    });
  });
});
