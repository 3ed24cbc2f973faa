import { describe, expect, it } from 'vitest';
import type { KeyRow, KeyRows } from '../../src/admin/contract.ts';
import { startEmulator } from '../../src/index.ts';
import { admin, event, sendEvents, tellAdmin } from '../service.ts';

describe('an API key', () => {
  it('is made with a name, named anew, and listed, the newest first', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const made = (await tellAdmin(emulator, 'POST', '/keys', { name: ' shop ' })).body as KeyRow;
    expect(made).toMatchObject({ name: 'shop', revokedAt: null, lastUsedAt: null });
    await tellAdmin(emulator, 'PATCH', `/keys/${made.id}`, { name: 'web "shop" \\' });
    const { keys } = (await admin(emulator, '/keys')).body as KeyRows;
    expect(keys.map(({ name }) => name)).toEqual(['web "shop" \\', 'default']);
    const { baseUrl, apiUrl } = emulator;
    expect((await sendEvents({ baseUrl, apiUrl, apiKey: made.key }, event())).status).toBe(200);
  });

  it('is revoked, and refused at once', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { keys } = (await admin(emulator, '/keys')).body as KeyRows;
    const path = `/keys/${keys[0]?.id}`;
    const { body } = await admin(emulator, path, { method: 'DELETE' });
    expect(body).toMatchObject({ key: emulator.apiKey, revokedAt: expect.any(String) });
    expect((await sendEvents(emulator, event())).body).toMatchObject({ error: { code: 'unknown_api_key' } });
  });

  it.each(['', '  ', 'x'.repeat(101), 7])('cannot have the name %j', async (name) => {
    await using emulator = await startEmulator();
    const refused = { status: 422, body: { error: { field: 'name' } } };
    expect(await tellAdmin(emulator, 'POST', '/keys', { name })).toMatchObject(refused);
  });

  it('must be there to be named or revoked', async () => {
    await using emulator = await startEmulator();
    const unknown = { status: 404, body: { error: { code: 'unknown_id' } } };
    expect(await tellAdmin(emulator, 'PATCH', '/keys/99', { name: 'x' })).toMatchObject(unknown);
    expect(await admin(emulator, '/keys/99', { method: 'DELETE' })).toMatchObject(unknown);
  });
});
