import { expect, it } from 'vitest';
import { Bunch } from '../../src/forward/bunch.ts';
import type { OutboxTable } from '../../src/forward/outbox-table.ts';
import { Segments } from '../../src/slots/segments.ts';

const ROWS = ['one', 'two', 'three'].map((body, index) => ({
  slot: 1,
  seq: index + 10,
  hash: body,
  body,
}));
const LIMIT = { maxEvents: 2, maxBytes: 100 };

function bunchOf(rows = ROWS) {
  const tenure = { slot: 1, epoch: 1, outbox: 1, isOwn: false, isLost: false };
  const asked: (readonly number[])[] = [];
  const read: OutboxTable['read'] = async (_slot, seqs) => {
    asked.push(seqs);
    return rows.filter(({ seq }) => seqs.includes(seq));
  };
  // The cast is safe: nothing else of it is used.
  const table = { read } as Partial<OutboxTable> as OutboxTable;
  return { tenure, asked, bunch: new Bunch(tenure, ROWS, table) };
}

async function textOf(bunch: Bunch, from: number): Promise<readonly [text: string, to: number]> {
  const { events, to } = await bunch.read({ from, to: 3 }, LIMIT);
  return [Buffer.from(events.bytes).toString(), to];
}

it('an event of the outbox takes memory until it is read, and is found again in the table', async () => {
  const { asked, bunch } = bunchOf();
  expect([bunch.bytes, bunch.memoryBytes]).toEqual([11, 11]);
  expect(await textOf(bunch, 0)).toEqual(['one,two', 2]);
  expect([bunch.bytes, bunch.memoryBytes, asked]).toEqual([11, 5, []]);
  expect(await textOf(bunch, 1)).toEqual(['two,three', 3]);
  expect([bunch.memoryBytes, asked]).toEqual([0, [[11]]]);
});

it('an event of the outbox that the table has no more does not hide those behind it', async () => {
  const { bunch } = bunchOf(ROWS.slice(1));
  await textOf(bunch, 0);
  expect(await textOf(bunch, 0)).toEqual(['', 1]);
  expect(await textOf(bunch, 1)).toEqual(['two,three', 3]);
});

it('what is known of a slot that was lost takes no memory', async () => {
  const { bunch, tenure } = bunchOf();
  const segments = new Segments();
  const number = segments.add(bunch);
  tenure.isLost = true;
  expect(segments.takeLost()).toEqual([number]);
  expect(bunch.memoryBytes).toBe(0);
  expect(bunch.release({ from: 0, to: 3 }).map(({ seq }) => seq)).toEqual([10, 11, 12]);
});
