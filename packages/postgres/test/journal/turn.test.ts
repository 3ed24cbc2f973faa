import { expect, it } from 'vitest';
import { Turn } from '../../src/journal/turn.ts';

it('the answer to a request of before is awaited, though slots are lost twice', async () => {
  const turn = new Turn({ mayWork: true, check: () => true, ready: async () => {}, tell() {} });
  const end = turn.request();
  turn.lose();
  turn.lose();
  let isAnswered = false;
  const answered = turn.answered().then(() => {
    isAnswered = true;
  });
  await new Promise(setImmediate);
  expect(isAnswered).toBe(false);
  end();
  await answered;
});
