import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { inspect } from './service.ts';

describe('the base address', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
  ])('of an emulator that listens on %s can be asked', async (host, form) => {
    await using emulator = await startEmulator({ host });
    expect(emulator.baseUrl).toMatch(form);
    expect(emulator.apiUrl).toMatch(form);
    expect((await inspect(emulator, '/emulator/counts')).status).toBe(200);
  });

  it('has a port that no system gives to another program while the emulator is suspended', async () => {
    await using emulator = await startEmulator({ port: 0, apiPort: 0 });
    const ports = [emulator.baseUrl, emulator.apiUrl].map((url) => Number(new URL(url).port));
    for (const port of ports) expect(port).toBeLessThan(32_768);
    expect(new Set(ports).size).toBe(2);
  });

  it('is reported as impossible where the host is unknown', async () => {
    await expect(startEmulator({ host: 'host.invalid' })).rejects.toThrow(
      /host "host\.invalid" cannot be listened on/,
    );
  });
});
