import { describe, expect, it } from 'vitest';
import type { RequestRows } from '../../src/admin/contract.ts';
import { startEmulator } from '../../src/index.ts';
import { admin, event, send, sendEvents } from '../service.ts';

describe('requests', () => {
  it('are listed newest first, filtered by what became of them, read on, and found by id', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event());
    const refused = await send(emulator, { batch: [] });
    await sendEvents(emulator, event(), event());
    const list = async (query: string) => (await admin(emulator, `/requests?${query}`)).body as RequestRows;
    expect((await list('')).rows.map(({ status, events }) => [status, events])).toEqual([
      [200, 2],
      [422, null],
      [200, 1],
    ]);
    expect(await list('outcome=refused')).toMatchObject({ rows: [refused.body], next: null });
    const first = await list('outcome=taken&limit=1');
    expect(first).toMatchObject({ rows: [{ events: 2 }], next: expect.any(Number) });
    const older = await list(`outcome=taken&before=${first.rows[0]?.id}`);
    expect(older).toMatchObject({ rows: [{ events: 1 }], next: null });
    const { body } = await admin(emulator, `/requests/${older.rows[0]?.id}`);
    expect(body).toMatchObject(older.rows[0] ?? {});
  });

  it('are not searched for more words than a query can have', async () => {
    await using emulator = await startEmulator();
    const words = Array(1_500).fill('a').join('+'); // SQLite takes no condition with as many
    expect(await admin(emulator, `/requests?search=${words}`)).toMatchObject({
      status: 422,
      body: {
        error: { field: 'search', message: expect.stringContaining('at most 1000 characters and 20 words') },
      },
    });
  });

  it.each(['/requests/7', '/requests/x', '/requests?outcome=lost', '/requests?limit=0'])(
    'are not at %s',
    async (path) => {
      await using emulator = await startEmulator();
      const { status, body } = await admin(emulator, path);
      expect([404, 422]).toContain(status);
      expect(body).toMatchObject({ error: { message: expect.any(String) } });
    },
  );
});
