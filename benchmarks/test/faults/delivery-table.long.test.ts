import { describe, expect, it } from 'vitest';
import { few } from '../../../testing/full.ts';
import { ISOLATION_CASES, runIsolation } from '../../src/faults/delivery-table/isolation.ts';
import { TABLE_CASES } from '../../src/faults/delivery-table/table-cases.ts';
import { runTableCase } from '../../src/faults/delivery-table/table-run.ts';

describe('a batch that a real HTTP server answers as a row of the delivery table has it', () => {
  // The long tests run the fault too, with all its rows.
  it.each(few(20, TABLE_CASES))('ends as the row says: $answer', async (row) => {
    expect((await runTableCase(row)).problems).toEqual([]);
  });
});

describe('a batch of 500 in which some events are refused', () => {
  const some = ISOLATION_CASES.filter(({ bad }) => bad < 10);
  it.each(few(1, some))('is delivered but for them, in few requests: $bad $where', async (row) => {
    expect((await runIsolation(row, 1)).problems).toEqual([]);
  });
});
