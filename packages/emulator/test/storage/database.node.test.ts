import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, readCustomer, sendEvents, temporaryDirectory } from '../service.ts';

describe('the data directory', () => {
  it('keeps events, customers, the key and the primary key over a restart', async () => {
    const data = join(temporaryDirectory(), 'made', 'if missing');
    const customers = [{ email: 'ada@example.com', first_name: 'Ada' }];
    const first = await startEmulator({ data, primaryKey: 'email', customers });
    const uuid = '01234567-89ab-4cde-8f01-23456789abcd';
    await sendEvents(first, event({ uuid, payload: { total: 1 } }), event());
    const before = await first.events();
    await first.close();

    await using second = await startEmulator({ data });
    expect(second.primaryKey).toBe('email');
    expect(second.apiKey).toBe(first.apiKey);
    expect(await second.events()).toEqual(before);
    expect((await readCustomer(second, 'ada@example.com')).body).toMatchObject({ first_name: 'Ada' });
    expect(await sendEvents(second, event({ uuid }))).toMatchObject({ body: { accepted: 1, repeated: 1 } });
    expect(await second.countEvents()).toEqual({ unique: 2, received: 3 });
  });

  it('is for its owner only', async () => {
    const data = join(temporaryDirectory(), 'private');
    await using emulator = await startEmulator({ data });
    await emulator.selectPrimaryKey('email');
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const name of ['emulator.db', 'emulator.db-journal']) {
      expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
    }
  });

  it.each(['', 'below', 'far/below'])('cannot be a file, or be under one: file/%s', async (below) => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(startEmulator({ data: join(file, below) })).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('Cannot use the data directory'),
    });
  });

  it.runIf(process.platform === 'linux').each(['/proc/sluice/data', 'link/data'])(
    'cannot be where nobody can make a directory: %s',
    async (path) => {
      const folder = temporaryDirectory();
      symlinkSync('/nonexistent/volume', join(folder, 'link'));
      await expect(startEmulator({ data: resolve(folder, path) })).rejects.toMatchObject({
        code: 'SLUICE_STORAGE',
      });
    },
  );

  it('is not touched where the file of the database is something else, and what to do is said', async () => {
    const data = temporaryDirectory();
    const path = join(data, 'emulator.db');
    const text = 'not a database, but as long as the header of one has to be at least '.repeat(20);
    writeFileSync(path, text);
    await expect(startEmulator({ data })).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringMatching(/: emulator.db in it is damaged, .*Move that file away/),
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is not touched where another version of the emulator wrote it', async () => {
    const data = temporaryDirectory();
    await (await startEmulator({ data })).close();
    const database = new Libsql(join(data, 'emulator.db'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    await expect(startEmulator({ data })).rejects.toThrow(
      'another version of the emulator wrote it (schema 1000',
    );
  });

  it("is one emulator's at a time", async () => {
    const data = temporaryDirectory();
    const first = await startEmulator({ data });
    await expect(startEmulator({ data })).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('another emulator is using it'),
    });
    await first.close();
    await (await startEmulator({ data })).close();
  });
});
