import type { Customer } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import type { CustomerImport, CustomerRow } from '../../src/admin/audience-contract.ts';
import { startEmulator } from '../../src/index.ts';
import { admin, event, readCustomer, sendEvents, tellAdmin } from '../service.ts';
import { importCsv, listed } from './customer-requests.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', city: 'London' };
const BOB = { email: 'bob@example.com', first_name: 'Bob' };

describe('the primary key', () => {
  it('is selected, and takes effect at once at both endpoints', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    expect((await tellAdmin(emulator, 'PUT', '/primary-key', { primaryKey: 'city' })).status).toBe(200);
    expect((await admin(emulator, '/primary-key')).body).toEqual({ primaryKey: 'city' });
    expect((await sendEvents(emulator, event())).body).toMatchObject({
      error: { code: 'wrong_correlation_key' },
    });
    expect((await readCustomer(emulator, 'London')).status).toBe(200);
    expect((await readCustomer(emulator, ADA.email)).status).toBe(404);
  });

  it('is refused where two customers share a value, which is named', async () => {
    const customers = [ADA, { ...ADA, email: 'twin@example.com' }];
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const refused = await tellAdmin(emulator, 'PUT', '/primary-key', { primaryKey: 'city' });
    expect(refused).toMatchObject({ status: 422, body: { error: { field: 'primaryKey' } } });
    expect(JSON.stringify(refused.body)).toContain('two have string \\"London\\"');
    expect(emulator.primaryKey).toBe('email');
    expect((await readCustomer(emulator, ADA.email)).status).toBe(200);
  });
});

describe('customers', () => {
  it('are listed newest first, and read on', async () => {
    const customers = Array.from({ length: 5 }, (_, index) => ({ email: `c${index}@example.com` }));
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const first = await listed(emulator, 'limit=2');
    expect(first).toMatchObject({ total: 5 });
    expect(first.customers.map(({ primaryKeyValue }) => primaryKeyValue)).toEqual([
      'c4@example.com',
      'c3@example.com',
    ]);
    expect(await listed(emulator, 'limit=2&offset=0')).toEqual(first);
    expect(await listed(emulator, 'limit=3&offset=2')).toMatchObject({
      ...{ total: 5, customers: { length: 3 } },
    });
    expect(await listed(emulator, 'offset=7')).toEqual({ total: 5, customers: [] });
    const found = async (query: string) => {
      const { total, customers: rows } = await listed(emulator, `search=EXAMPLE&${query}`);
      return { total, values: rows.map(({ primaryKeyValue }) => primaryKeyValue?.slice(0, 2)) };
    };
    expect(await found('offset=1&limit=2')).toEqual({ total: 5, values: ['c3', 'c2'] });
    expect(await found('offset=3')).toEqual({ total: 5, values: ['c1', 'c0'] });
    await emulator.addCustomers([{ email: 'c9@example.com' }]);
    expect(await found('limit=2')).toEqual({ total: 6, values: ['c9', 'c4'] });
  });

  it('are sorted by an attribute, and those without it come last', async () => {
    const customers = [
      { email: 'a', age: 30, 'odd "name"': 'x' },
      { email: 'b', age: 9, city: 'london' },
      { email: 'c', city: 'Graz' },
      { email: 'd', age: 100, city: 'London' },
    ];
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const sorted = async (query: string) =>
      (await listed(emulator, query)).customers.map(({ primaryKeyValue }) => primaryKeyValue).join('');
    expect(await sorted('sort=age')).toBe('badc');
    expect(await sorted('sort=age&descending=true')).toBe('dabc');
    expect(await sorted('sort=age&offset=1&limit=2')).toBe('ad');
    expect(await sorted('sort=city')).toBe('cdba');
    expect(await sorted('sort=city&search=lond&descending=true')).toBe('db');
    expect(await sorted(`sort=${encodeURIComponent('odd "name"')}`)).toBe('adcb');
    expect(await sorted('sort=nothing')).toBe('dcba');
    await emulator.addCustomers([{ email: 'e', age: 1 }]);
    expect(await sorted('sort=age')).toBe('ebadc');
  });

  it.each([
    ['LOND', [ADA.email]],
    ['bob@', [BOB.email]],
    ['first_name', []], // only values are searched, not names of attributes
    ['100%', ['odd@example.com']],
    ['a_b', ['odd@example.com']],
    ['"quoted"', ['odd@example.com']],
    ['inner', ['odd@example.com']],
    ['ü', ['m@example.com', 'odd@example.com']],
    ['Müller', ['m@example.com']],
    ['olga οδος', ['m@example.com']],
    ['ж*]?[^-]!"\\%_\u{1F600}', ['m@example.com']],
    ['Möller', []],
    ['[ü]', []],
    ['Ü*', []],
  ])('are searched by their values, ignoring case: %s', async (search, emails) => {
    const odd: Customer = { email: 'odd@example.com', a: '100% a_b "quoted" ü', deep: { x: 'inner' } };
    const mueller = { email: 'm@example.com', a: 'MÜLLER', b: 'Olga ΟΔΟΣ', c: 'Ж*]?[^-]!"\\%_\u{1F600}' };
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB, odd, mueller] });
    const { customers, total } = await listed(emulator, `search=${encodeURIComponent(search)}`);
    expect(customers.map(({ primaryKeyValue }) => primaryKeyValue)).toEqual(emails);
    expect(total).toBe(emails.length);
  });

  it('are created, changed and deleted, which the endpoint shows at once', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const made = await tellAdmin(emulator, 'POST', '/customers', { attributes: ADA });
    const { id } = made.body as CustomerRow;
    expect(made.body).toMatchObject({ id, primaryKeyValue: ADA.email, attributes: ADA });
    const changed = { email: 'new@example.com', points: 7, tags: ['a'] };
    await tellAdmin(emulator, 'PUT', `/customers/${id}`, { attributes: changed });
    expect((await readCustomer(emulator, ADA.email)).status).toBe(404);
    expect((await readCustomer(emulator, 'new@example.com')).body).toEqual({
      ...changed,
      primary_key: 'new@example.com',
    });
    expect((await admin(emulator, `/customers/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await readCustomer(emulator, 'new@example.com')).status).toBe(404);
    expect((await admin(emulator, `/customers/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('are not overwritten by somebody who read them before another change', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const { headers } = await admin(emulator, '/customers/1');
    const version = headers.get('etag') ?? '';
    const save = (attributes: Customer) =>
      admin(emulator, '/customers/1', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': version },
        body: JSON.stringify({ attributes }),
      });
    expect((await save({ ...ADA, city: 'Paris' })).status).toBe(200);
    const second = await save({ ...ADA, points: 7 });
    expect(second).toMatchObject({ status: 412, body: { error: { code: 'version_conflict' } } });
    expect(await emulator.customer(ADA.email)).toEqual({ ...ADA, city: 'Paris', primary_key: ADA.email });
  });

  it('keep their primary key value to themselves', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    const { customers } = await listed(emulator, `value=${BOB.email}`);
    const taken = { error: { code: 'invalid_field', field: 'attributes.email' } };
    const twin = { email: ADA.email };
    expect((await tellAdmin(emulator, 'POST', '/customers', { attributes: twin })).body).toMatchObject(taken);
    const path = `/customers/${customers[0]?.id}`;
    expect((await tellAdmin(emulator, 'PUT', path, { attributes: twin })).body).toMatchObject(taken);
    expect((await tellAdmin(emulator, 'PUT', path, { attributes: { ...BOB, x: 1 } })).status).toBe(200);
    expect((await tellAdmin(emulator, 'PUT', path, { attributes: {} })).body).toMatchObject(taken);
  });

  it.each(['limit=0', 'limit=1001', 'before=x', 'limit=1e3', 'offset=-1', 'descending=yes'])(
    'are not listed with %s',
    async (query) => {
      await using emulator = await startEmulator();
      expect(await admin(emulator, `/customers?${query}`)).toMatchObject({ status: 422 });
    },
  );
});

describe('an import of CSV', () => {
  it.each([
    ['commas', 'email,first_name\nada@example.com,"A, ""da"""\n'],
    ['semicolons, CRLF and a byte order mark', '\uFEFFemail;first_name\r\nada@example.com;"A, ""da"""\r\n'],
    ['tabs, and no last line break', 'email\tfirst_name\n\nada@example.com\t"A, ""da"""'],
  ])('takes %s', async (_, csv) => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    expect((await importCsv(emulator, csv)).body).toMatchObject({ added: 1, replaced: 0, problems: [] });
    expect(await emulator.customer(ADA.email)).toMatchObject({ first_name: 'A, "da"' });
  });

  it('replaces customers whole, and leaves attributes out whose field is empty', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const answer = await importCsv(
      emulator,
      'email,first_name,city\nada@example.com,,Paris\nx@example.com,,',
    );
    expect(answer.body).toMatchObject({ added: 1, replaced: 1, columns: ['email', 'first_name', 'city'] });
    expect(await emulator.customer(ADA.email)).toEqual({
      email: ADA.email,
      city: 'Paris',
      primary_key: ADA.email,
    });
  });

  it('changes nothing as a preview, and tells how it begins', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await importCsv(emulator, 'email\na@example.com\nb@example.com', '?preview=true');
    expect(answer.body).toMatchObject({ lines: 2, added: 2, sample: [{ email: 'a@example.com' }, {}] });
    expect(await listed(emulator, '')).toMatchObject({ total: 0 });
  });

  it('is refused whole where a line is wrong, and each is named', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const csv = [
      'email,note',
      'a@example.com,"two\r\nlines"', // lines 2 and 3
      ',nobody', // line 4
      'a@example.com,again', // line 5
      'c@example.com', // line 6
      'd@example.com,5" wide', // line 7
      ',not read any more',
    ].join('\r\n');
    const preview = (await importCsv(emulator, csv, '?preview=true')).body as CustomerImport;
    expect(preview.problems.map(({ line }) => line)).toEqual([4, 5, 6, 7]);
    expect(preview.problems[1]?.message).toBe('"email" is "a@example.com", as in line 2');
    const refused = await importCsv(emulator, csv);
    expect(refused).toMatchObject({ status: 422, body: { error: { field: 'line 4' } } });
    expect(await listed(emulator, '')).toMatchObject({ total: 0 });
  });

  it.each([
    ['', 'the file is empty'],
    ['name\nAda', 'there is no column "email", which is the primary key'],
    ['email,email\na,b', 'two columns have the name "email"'],
    ['email,\na,b', 'a column has no name'],
  ])('needs a first line that names the attributes: %j', async (csv, message) => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { problems } = (await importCsv(emulator, csv, '?preview=true')).body as CustomerImport;
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining(message) }]);
  });

  it('reads Latin-1, and an export can be imported again', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const headers = { 'content-type': 'text/csv' };
    const body = Buffer.from('email;first_name\nada@example.com;J\xfcrgen\n', 'latin1');
    await admin(emulator, '/customers/import', { method: 'POST', headers, body });
    expect(await emulator.customer(ADA.email)).toMatchObject({ first_name: 'Jürgen' });
    const csv = await (await fetch(`${emulator.apiUrl}/emulator/customers/export`)).text();
    expect(csv).toBe('email,first_name\nada@example.com,Jürgen\n');
    expect((await importCsv(emulator, csv)).body).toMatchObject({ added: 0, replaced: 1 });
  });

  it('takes back what a spreadsheet must not take for a formula, as it was', async () => {
    const customers = [{ email: '+43 1 234', balance: -3, note: '=1+1' }, { email: '@ada' }];
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const csv = await (await fetch(`${emulator.apiUrl}/emulator/customers/export`)).text();
    expect(csv).toBe("email,balance,note\n'+43 1 234,-3,'=1+1\n'@ada,,\n");
    expect((await importCsv(emulator, csv)).body).toMatchObject({ added: 0, replaced: 2 });
    expect(await emulator.customer('+43 1 234')).toMatchObject({ balance: '-3', note: '=1+1' });
  });

  it('says where a quote is never closed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { problems } = (
      await importCsv(emulator, 'email,note\na@x.de,1\nb@x.de,"open\nc,d', '?preview=true')
    ).body as CustomerImport;
    expect(problems).toMatchObject([{ line: 3, message: expect.stringContaining('never closed') }]);
  });
});
