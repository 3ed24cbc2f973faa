import { expect, it } from 'vitest';
import { table } from '../src/text/table.ts';

it('A table may have more rows than a call has arguments', () => {
  expect(
    table(
      ['id'],
      Array.from({ length: 300_000 }, () => ['abc']),
    ),
  ).toHaveLength(300_001);
});
