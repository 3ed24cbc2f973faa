import { systemClock } from '@sluice/protocol/toolbox';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';

it('a connection that fails after the end of its pool does not end the process', async () => {
  const end = vi.spyOn(pg.Pool.prototype, 'end');
  const database = new Database({ host: '127.0.0.1' }, 'sluice', systemClock, 1_000);
  await database.close();
  const [pool] = end.mock.contexts as pg.Pool[];
  end.mockRestore();
  expect(pool?.emit('error', new Error('terminating connection due to administrator command'))).toBe(true);
});
