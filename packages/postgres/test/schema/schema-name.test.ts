import { ConfigError } from '@sluice/core';
import { expect, it } from 'vitest';
import { quotedSchema } from '../../src/schema/schema-name.ts';

it('quotes the name of a schema, which is sluice by default', () => {
  expect(quotedSchema()).toBe('"sluice"');
  expect(quotedSchema('_events_2')).toBe('"_events_2"');
  expect(quotedSchema('a'.repeat(63))).toBe(`"${'a'.repeat(63)}"`);
});

it.each([
  '',
  'Sluice',
  '2nd',
  'a-b',
  'a"; drop table users; --',
  'a.b',
  'a\n',
  'ä',
  'a'.repeat(64),
  7,
  null,
  {},
])('refuses %j as the name of a schema, as it becomes SQL', (name) => {
  expect(() => quotedSchema(name)).toThrow(ConfigError);
});
