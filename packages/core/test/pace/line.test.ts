import { expect, it } from 'vitest';
import { Line } from '../../src/pace/line.ts';
import { settle } from '../bench/virtual-clock.ts';

const never = new AbortController().signal;

it('wakes all that wait, the smallest first, and each once', async () => {
  const line = new Line();
  const woken: string[] = [];
  for (const [name, size] of [
    ['large', 3],
    ['small', 1],
    ['medium', 2],
  ] as const)
    void line.wait(size, never).then(() => woken.push(name));
  await settle();
  expect(woken).toEqual([]);
  line.wake();
  line.wake();
  await settle();
  expect(woken).toEqual(['small', 'medium', 'large']);
});

it('lets go of what aborts', async () => {
  const line = new Line();
  const ends = new AbortController();
  const woken: number[] = [];
  void line.wait(1, ends.signal).then(() => woken.push(1));
  void line.wait(2, never).then(() => woken.push(2));
  void line.wait(3, AbortSignal.abort()).then(() => woken.push(3));
  ends.abort();
  await settle();
  expect(woken.sort()).toEqual([1, 3]);
});
