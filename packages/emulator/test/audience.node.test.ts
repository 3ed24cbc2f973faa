import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Account } from '../src/running/account.ts';

function open() {
  const account = new Account();
  onTestFinished(() => account.close());
  account.audience.selectPrimaryKey('email');
  return account.audience;
}

function csvOf(count: number, name: string): string {
  const lines = Array.from({ length: count }, (_, at) => `c${at}@example.com,${name} ${at}`);
  return `email,name\n${lines.join('\n')}`;
}

describe('a large import', () => {
  it('lets others in while it works: each sees all of the customers, or none', async () => {
    const audience = open();
    let isOver = false;
    const importing = audience.import(csvOf(20_000, 'Ada'), false).finally(() => {
      isOver = true;
    });
    const seen: number[] = [];
    for (; !isOver; await setImmediate()) seen.push(audience.list({ limit: 1 }).total);
    expect(await importing).toMatchObject({ added: 20_000, replaced: 0 });
    expect(seen.length).toBeGreaterThan(40);
    expect(new Set([...seen, 20_000])).toEqual(new Set([0, 20_000]));
    expect(audience.changes).toBe(2); // the primary key, and the import
  });

  it('keeps what others change meanwhile', async () => {
    const audience = open();
    const importing = audience.import(csvOf(2_000, 'Ada'), false);
    audience.addCustomers([{ email: 'c7@example.com', name: 'before' }, { email: 'x@example.com' }]);
    await importing;
    expect(audience.customer('c7@example.com')).toMatchObject({ name: 'Ada 7' });
    expect(audience.list({ limit: 1 }).total).toBe(2_001);
  });

  it('goes beside another one; whose lines are stored last, all of them hold', async () => {
    const audience = open();
    await Promise.all(['Ada', 'Bob'].map((name) => audience.import(csvOf(3_000, name), false)));
    const { customers, total } = audience.list({ limit: 3_000 });
    expect(total).toBe(3_000);
    expect(new Set(customers.map(({ attributes }) => String(attributes.name).split(' ')[0])).size).toBe(1);
  });

  it('stores nothing where another primary key is selected meanwhile', async () => {
    const audience = open();
    const importing = audience.import(csvOf(2_000, 'Ada'), false);
    audience.selectPrimaryKey('name');
    await expect(importing).rejects.toThrow(
      'primaryKey was string "email" when the import began, and is string "name" now: nothing was imported.',
    );
    expect(audience.list({ limit: 1 }).total).toBe(0);
  });

  it('as a preview says the same, and stores nothing', async () => {
    const audience = open();
    audience.addCustomers([{ email: 'c7@example.com' }]);
    expect(await audience.import(csvOf(2_000, 'Ada'), true)).toMatchObject({ added: 1_999, replaced: 1 });
    expect(audience.list({ limit: 1 }).total).toBe(1);
  });
});

describe('an export', () => {
  it.each(["'-5", "''=1", "'", "'plain", "-'5", '＋1', "'\t.", "'\n-5"])(
    'is imported with each text and name as it was: %j',
    async (text) => {
      const audience = open();
      audience.addCustomers([{ email: 'ada', [text]: text }]);
      await audience.import(audience.export(), false);
      expect(audience.customer('ada')).toEqual({ email: 'ada', [text]: text, primary_key: 'ada' });
    },
  );

  it('adds nothing to a text that begins with a line break', async () => {
    const audience = open();
    audience.addCustomers([{ email: 'ada', note: '\r\n1' }]);
    await audience.import(audience.export(), false);
    expect(audience.customer('ada')).toMatchObject({ note: '\n1' });
  });
});
