import { describe, expect, it } from 'vitest';
import { ScrollTrack } from '../../pages/tracker/list/scroll-track.ts';

const VIEW = 600;

function track(content: number): ScrollTrack {
  const made = new ScrollTrack();
  made.resize(content, VIEW);
  return made;
}

describe('a list that an element can be as tall as', () => {
  it('is scrolled as any other', () => {
    const list = track(5_000_000);
    expect(list.height).toBe(5_000_000);
    for (const top of [0, 100, 4_000_000, 1_234_567, 4_999_400]) {
      list.scrolled(top);
      expect(list.offset).toBe(top);
      expect(list.restingTop).toBe(top);
    }
  });
});

describe('a list that is taller than an element can be', () => {
  const CONTENT = 36 * 5_000_000;

  it('is reached everywhere by its scroll bar', () => {
    const list = track(CONTENT);
    expect(list.height).toBeLessThan(10_000_000);
    list.scrolled(list.height - VIEW);
    expect(list.offset).toBe(CONTENT - VIEW);
    list.scrolled((list.height - VIEW) / 2);
    expect(list.offset).toBeCloseTo((CONTENT - VIEW) / 2);
    list.scrolled(0);
    expect(list.offset).toBe(0);
  });

  it('moves by what a small step says, wherever one is', () => {
    const list = track(CONTENT);
    for (const top of [500, 1_000_000, 3_000_000, 4_000_000, 6_999_000]) {
      list.scrolled(top);
      const before = list.offset;
      list.scrolled(top + 120);
      list.scrolled(top + 240);
      list.scrolled(top + 200);
      expect(list.offset).toBeCloseTo(before + 200);
    }
  });

  it('rests where the scroll bar shows the place, and goes on from there without a jump', () => {
    const list = track(CONTENT);
    list.scrolled(4_000_000);
    for (let step = 1; step <= 1_000; step += 1) list.scrolled(4_000_000 + step * 100);
    const { offset } = list;
    list.goTo(offset);
    const rested = list.restingTop;
    list.scrolled(rested);
    expect(list.offset).toBeCloseTo(offset);
    list.scrolled(rested - 100);
    expect(list.offset).toBeCloseTo(offset - 100);
  });

  it('goes to any place, as exactly as it was said', () => {
    const list = track(CONTENT);
    for (const row of [0, 1, 27_777, 27_778, 2_345_678, 4_999_000, 4_999_983]) {
      list.goTo(row * 36);
      expect(list.offset).toBe(Math.min(row * 36, CONTENT - VIEW));
      list.scrolled(list.restingTop);
      expect(list.offset).toBeCloseTo(Math.min(row * 36, CONTENT - VIEW));
    }
  });

  it('stays within the list when it becomes shorter', () => {
    const list = track(CONTENT);
    list.goTo(CONTENT);
    list.resize(1_000, VIEW);
    expect(list.offset).toBe(400);
  });
});
