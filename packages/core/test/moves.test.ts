import { describe, expect, it } from 'vitest';
import { Moves } from '../src/moves.ts';

const range = (segment: number, from: number, to: number) => ({ segment, from, to });

describe('Moves', () => {
  it('knows no other place of what was not moved', () => {
    const moves = new Moves();
    moves.add(range(1, 0, 10), range(0, 100, 110));
    for (const other of [range(2, 0, 10), range(1, 10, 20)]) {
      expect(moves.after(other)).toEqual([other]);
      expect(moves.before(other)).toEqual([other]);
    }
  });

  it('follows events from place to place, as far as they are of the range, and back', () => {
    const moves = new Moves();
    moves.add(range(1, 0, 10), range(0, 100, 110));
    moves.add(range(0, 100, 104), range(3, 50, 54));
    moves.add(range(0, 104, 110), range(3, 70, 76));
    expect(moves.after(range(1, 2, 6))).toEqual([
      range(1, 2, 6),
      range(0, 102, 106),
      range(3, 52, 54),
      range(3, 70, 72),
    ]);
    expect(moves.before(range(3, 71, 80))).toEqual([range(3, 71, 80), range(0, 105, 110), range(1, 5, 10)]);
  });

  it('forgets the oldest of more than a thousand', () => {
    const moves = new Moves();
    for (let index = 0; index <= 1_000; index += 1)
      moves.add(range(1, index, index + 1), range(2, index, index + 1));
    expect(moves.after(range(1, 0, 1))).toHaveLength(1);
    expect(moves.after(range(1, 1, 2))).toHaveLength(2);
  });
});
