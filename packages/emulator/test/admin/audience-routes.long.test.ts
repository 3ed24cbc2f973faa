import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import type { CustomerImport } from '../../src/admin/audience-contract.ts';
import { startEmulator } from '../../src/index.ts';
import { importCsv, listed } from './customer-requests.ts';

function manyLines(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `c${at}@example.com,Name ${at},"a, b"`);
  return `email,name,note\n${lines.join('\n')}`;
}

describe('an import of CSV', () => {
  it('of a file that is wrong everywhere ends soon', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await importCsv(emulator, '"a""'.repeat(2_000_000), '?preview=true');
    expect(answer.status).toBe(200);
    expect((answer.body as CustomerImport).problems).toHaveLength(1);
  });

  it('of a file with very many columns ends soon, also where its lines are short', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const columns = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
    const csv = `email,${columns.join(',')}\n${'a@example.com\n'.repeat(5_000)}`;
    const { problems, problemCount } = (await importCsv(emulator, csv, '?preview=true'))
      .body as CustomerImport;
    expect([problems.length, problemCount]).toEqual([100, 5_000]);
  });

  it('takes a hundred thousand lines; without FULL, a fifth of them', async () => {
    const count = isFull ? 100_000 : 20_000;
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await importCsv(emulator, manyLines(count));
    expect(answer.body).toMatchObject({ added: count, problemCount: 0 });
    expect(await emulator.customer(`c${count - 1}@example.com`)).toMatchObject({ name: `Name ${count - 1}` });
    expect(await listed(emulator, 'search=Name+1999&limit=1')).toMatchObject({ total: 11 });
  });

  it('of a file that is too large says to split it', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { status, body } = await importCsv(emulator, 'x'.repeat(32 * 1024 * 1024 + 1));
    const message = 'split the file, with the names of attributes in the first line of each part.';
    expect({ status, body }).toMatchObject({
      status: 413,
      body: { error: { code: 'body_too_large', message: expect.stringContaining(message) } },
    });
  });
});
