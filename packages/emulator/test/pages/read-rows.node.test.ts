import { expect, it } from 'vitest';
import { readOn, renewed } from '../../pages/shell/read-rows.ts';
import type { Page } from '../../src/admin/contract.ts';

interface Row {
  readonly id: number;
}

/** An answer with these ids, which says to read on before `next`. */
function answer(ids: readonly number[], next: number | null, newest: number = ids[0] ?? 0): Page<Row> {
  return { rows: ids.map((id) => ({ id })), next, newest };
}

it('a list reads on where the answer before says, to the end', () => {
  let list = renewed('/a', answer([9, 7], 7), undefined);
  expect(list.next).toBe(7);
  list = readOn(list, answer([5], 4));
  list = readOn(list, answer([2], null));
  expect(list.rows.map(({ id }) => id)).toEqual([9, 7, 5, 2]);
  expect(list.next).toBeNull();
});

it('a list keeps what was read when newer rows reach it, and begins anew when they do not', () => {
  const before = readOn(renewed('/a', answer([90], 80), undefined), answer([70], 60));
  const reached = renewed('/a', answer([95, 90], 85), before);
  expect(reached.rows.map(({ id }) => id)).toEqual([95, 90, 70]);
  expect(reached.next).toBe(60);
  for (const anew of [renewed('/a', answer([195], 185), before), renewed('/b', answer([95], 85), before)]) {
    expect(anew.rows).toHaveLength(1);
    expect(anew.next).toBeGreaterThan(60);
  }
});

it('a list is complete when its first answer is', () => {
  const before = renewed('/a', answer([90], 80), undefined);
  expect(renewed('/a', answer([95, 90], null), before)).toMatchObject({
    rows: [{ id: 95 }, { id: 90 }],
    next: null,
  });
});

it('a search that has found nothing yet keeps what it read on to', () => {
  const first = answer([], 300, 999);
  const before = readOn(renewed('/a', first, undefined), answer([2], 1));
  expect(renewed('/a', first, before)).toMatchObject({ rows: [{ id: 2 }], next: 1 });
});

it('a slow search goes on where it was, though events arrive and nothing is found yet', () => {
  let list = readOn(renewed('/a', answer([], 300, 999), undefined), answer([2], 1));
  for (const newest of [1_000, 1_500]) list = renewed('/a', answer([], newest - 600, newest), list);
  expect(list).toMatchObject({ rows: [{ id: 2 }], next: 1 });
  expect(renewed('/a', answer([], 1_502, 2_000), list)).toMatchObject({ rows: [], next: 1_502 });
});

it('a list that was empty reads on where its first answer ends', () => {
  const empty = { path: '/a', rows: [], next: 10, newest: 9 };
  expect(renewed('/a', answer([12, 8], 7), empty)).toMatchObject({ rows: [{ id: 12 }, { id: 8 }], next: 7 });
});
