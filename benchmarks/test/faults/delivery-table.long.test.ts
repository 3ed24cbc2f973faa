import { describe, expect, it } from 'vitest';
import { ISOLATION_CASES, runIsolation } from '../../src/faults/delivery-table/isolation.ts';
import { TABLE_CASES } from '../../src/faults/delivery-table/table-cases.ts';
import { runTableCase } from '../../src/faults/delivery-table/table-run.ts';

describe('a batch that a real HTTP server answers as a row of the delivery table has it', () => {
  it.each(TABLE_CASES)('ends as the row says: $answer', async (row) => {
    expect((await runTableCase(row)).problems).toEqual([]);
  });
});

describe('a batch of 500 in which some events are refused', () => {
  // The long tests run the fault with all its rows.
  it.each(ISOLATION_CASES.filter(({ bad }) => bad < 10))(
    'is delivered but for them, in few requests: $bad $where',
    async (row) => {
      expect((await runIsolation(row, 1)).problems).toEqual([]);
    },
  );
});
