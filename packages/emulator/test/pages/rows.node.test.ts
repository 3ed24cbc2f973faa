import { expect, it } from 'vitest';
import { Rows, type Source } from '../../pages/shell/rows.ts';

interface Row {
  readonly id: number;
}

/** Rows with the ids from `newest` down, of which any can be read; `pause` is awaited before each answer. */
function indexed(newest: number, pause: () => Promise<void> = async () => undefined) {
  const asked: number[] = [];
  const source: Source<Row> = {
    read: async (from) => {
      asked.push(from);
      await pause();
      const count = Math.max(0, Math.min(100, newest - from));
      return { rows: Array.from({ length: count }, (_, at) => ({ id: newest - from - at })), total: newest };
    },
  };
  return { source, asked };
}

/** Rows that are read on from their end; `ids` may change. */
function following(ids: number[]): Source<Row> {
  return {
    read: async (from) => {
      const matching = ids.filter((id) => from === 0 || id < from).slice(0, 100);
      return {
        rows: matching.map((id) => ({ id })),
        next: matching.length < 100 ? null : (matching.at(-1) ?? null),
      };
    },
  };
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);
const read = (rows: Rows<Row>) => [...rows.state.rows.values()].map((row) => row?.id);

it('reads the rows that are wanted, also if they became wanted while others were on their way', async () => {
  const { source, asked } = indexed(1_000, () => new Promise((resolve) => queueMicrotask(resolve)));
  const rows = new Rows(source);
  rows.want(0, 10);
  rows.renew();
  rows.want(700, 720);
  await expect.poll(() => rows.state.rows.get(700)?.id).toBe(300);
  expect(asked).toHaveLength(2);
  expect(rows.state.length).toBe(1_000);
  rows.close();
});

it('keeps what was read before when newer rows reach it, and says which are new', async () => {
  const ids = down(250, 1);
  const rows = new Rows(following(ids));
  rows.renew(250);
  await expect.poll(() => rows.state.rows.size).toBe(100);
  expect(rows.state.length).toBe(120); // there are more
  rows.want(90, 119);
  await expect.poll(() => rows.state.rows.size).toBe(200);
  ids.unshift(252, 251);
  rows.renew(252);
  await expect.poll(() => rows.state.newest).toBe(252);
  expect(read(rows)).toEqual(down(252, 51));
  expect(rows.state.newAfter).toBe(250);
  rows.want(200, 230);
  await expect.poll(() => rows.state.isComplete).toBe(true);
  expect(read(rows)).toEqual(down(252, 1));
  rows.close();
});

it('begins anew when the newer rows do not reach those that were read before', async () => {
  const ids = down(50, 1);
  const rows = new Rows(following(ids));
  rows.renew(50);
  await expect.poll(() => rows.state.length).toBe(50);
  ids.unshift(...down(400, 51));
  rows.renew(400);
  await expect.poll(() => rows.state.newest).toBe(400);
  expect(read(rows)).toEqual(down(400, 301));
  expect(rows.state.newAfter).toBe(Number.POSITIVE_INFINITY); // too many to be pointed out
  rows.close();
});
