import { expect, it, vi } from 'vitest';
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

it('what a request of before carried goes back, however late it fails: others have delivered it', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] });
  const tell = vi.fn();
  const turn = new Turn({ mayWork: true, check: () => true, ready: async () => {}, tell });
  const states: boolean[] = [];
  turn.listen(() => states.push(turn.maySend));
  const end = turn.request();
  turn.lose();
  await vi.advanceTimersByTimeAsync(6_000);
  vi.useRealTimers();
  await expect.poll(() => turn.maySend).toBe(true);
  expect([states, tell.mock.calls.length]).toEqual([[false, true], 1]);
  end();
  expect(turn.maySend).toBe(false);
  await expect.poll(() => turn.maySend).toBe(true);
  expect([states, tell.mock.calls.length]).toEqual([[false, true, false, true], 2]);
});
