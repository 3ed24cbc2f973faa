import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, readCustomer, sendEvents, tellAdmin } from '../service.ts';

describe('another process', async () => {
  const emulator = await startEmulator({ primaryKey: 'email' });
  afterAll(() => emulator.close());

  it('can set up an emulator that runs elsewhere', async () => {
    await using fresh = await startEmulator();
    const customers = [{ email: 'ada@example.com', first_name: 'Ada' }];
    expect(await tellAdmin(fresh, 'POST', '/customers', customers)).toMatchObject({ status: 422 });
    expect(await tellAdmin(fresh, 'PUT', '/primary-key', { primaryKey: 'email' })).toMatchObject({
      status: 200,
      body: { primaryKey: 'email' },
    });
    expect(await tellAdmin(fresh, 'POST', '/customers', customers)).toMatchObject({
      status: 200,
      body: { customers: 1 },
    });
    expect((await readCustomer(fresh, 'ada@example.com')).body).toMatchObject({ first_name: 'Ada' });
    expect((await sendEvents(fresh, event())).status).toBe(200);
  });

  it.each([
    ['PUT', '/primary-key', { primaryKey: '' }, 'primaryKey'],
    ['PUT', '/primary-key', { primary_key: 'email' }, 'primaryKey'],
    ['PUT', '/primary-key', null, 'body'],
    ['POST', '/customers', 'x', 'body'],
    ['POST', '/customers', [{ email: 'x' }, { name: 'y' }], 'customers[1].email'],
  ])('is refused to set up with %s %s %j', async (method, path, body, field) => {
    expect(await tellAdmin(emulator, method, path, body)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field } },
    });
    expect(emulator.primaryKey).toBe('email');
  });
});
