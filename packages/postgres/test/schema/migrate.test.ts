import { ConfigError } from '@sluice/core';
import { expect, it } from 'vitest';
import { QueryError } from '../../src/database/query-error.ts';
import { migrate } from '../../src/index.ts';

it.each<[unknown, unknown, string]>([
  ['postgres://ada:canary@db.example.com/shop', undefined, 'pool must be a Pool of pg'],
  [undefined, undefined, 'pool must be a Pool of pg'],
  [{}, { scheme: 'events' }, 'scheme is not an option; there are schema'],
  [{}, null, 'options must be an object, got null'],
])('migrate() refuses wrong arguments, case %#', async (pool, options, message) => {
  const error = await migrate(pool as never, options as never).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({ message });
});

it.each(['42P01', '3F000'])('a statement that finds no tables (%s) asks for migrate()', (code) => {
  const cause = Object.assign(new Error('relation "nope.slot" does not exist'), { code });
  expect(new QueryError('make a slot', cause, false).message).toBe(
    'cannot make a slot in PostgreSQL: relation "nope.slot" does not exist: call migrate() first, with the same schema',
  );
});
