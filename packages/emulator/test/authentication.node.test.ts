import { isApiKey } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { event, inspect, readCustomer, sendEvents, temporaryDirectory } from './service.ts';

describe('an API key', () => {
  it('is made at the start, new each time', async () => {
    await using first = await startEmulator();
    await using second = await startEmulator();
    expect(isApiKey(first.apiKey)).toBe(true);
    expect(first.apiKey).not.toBe(second.apiKey);
  });

  it('can be given', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', apiKey: 'my~key' });
    expect(emulator.apiKey).toBe('my~key');
    expect((await sendEvents(emulator, event())).status).toBe(200);
  });

  it('can be one of several, and stops to work when it is revoked', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const apiKey = await emulator.createApiKey('second');
    const second = { baseUrl: emulator.baseUrl, apiUrl: emulator.apiUrl, apiKey };
    expect((await sendEvents(second, event())).status).toBe(200);
    expect(await emulator.revokeApiKey(apiKey)).toBe(true);
    expect((await sendEvents(second, event())).status).toBe(403);
    expect((await readCustomer(second, 'ada@example.com')).status).toBe(403);
    expect((await inspect(second, '/emulator/events')).status).toBe(403);
    expect((await sendEvents(emulator, event())).status).toBe(200);
    expect(await emulator.revokeApiKey(apiKey)).toBe(false);
    expect(await emulator.revokeApiKey('never made')).toBe(false);
  });

  it('stays the same over a restart, and stays revoked', async () => {
    const data = temporaryDirectory();
    const first = await startEmulator({ data });
    const revoked = await first.createApiKey();
    await first.revokeApiKey(revoked);
    await first.close();
    await using second = await startEmulator({ data });
    expect(second.apiKey).toBe(first.apiKey);
    const { apiUrl, baseUrl } = second;
    expect((await inspect({ apiUrl, baseUrl, apiKey: revoked }, '/emulator/counts')).status).toBe(403);
  });

  it('is replaced at the next start where all were revoked', async () => {
    const data = temporaryDirectory();
    const first = await startEmulator({ data });
    await first.revokeApiKey(first.apiKey);
    await first.close();
    await using second = await startEmulator({ data });
    expect(second.apiKey).not.toBe(first.apiKey);
    expect((await inspect(second, '/emulator/counts')).status).toBe(200);
  });
});
