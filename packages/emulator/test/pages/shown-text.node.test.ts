import { expect, it, onTestFinished, vi } from 'vitest';
import { shownText, Time } from '../../pages/parts/text.tsx';

it.each([
  ['plain', 'plain'],
  ['Ω 東京 ليلى', 'Ω 東京 ليلى'],
  ['👩‍🚀 ❤️‍🔥 می‌خواهم', '👩‍🚀 ❤️‍🔥 می‌خواهم'], // the invisible joiners in them stay
  ['\u202egolb', '\\u202egolb'],
  ['pay\u200bpal \u200d', 'pay\\u200bpal \\u200d'],
  ['two\nlines\u0000', 'two\\nlines\\u0000'],
  ['tag\u{e0041}', 'tag\\udb40\\udc41'],
  [' ', '" "'],
  ['\u2003\t', '"\u2003\\t"'],
])('shows %j as %s', (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

it('shows a time without the day of today, and without the current year', () => {
  vi.useFakeTimers({ now: new Date('2026-06-15T12:00:00Z'), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const shown = (value: string) => String(Time({ value }).props.children);
  expect(shown('2026-06-15T12:00:01.234Z')).toMatch(/^\d\d:\d\d:01\.234$/);
  expect(shown('2026-03-05T12:00:01.234Z')).toMatch(/5.* \d\d:\d\d:01$/);
  expect(shown('2026-03-05T12:00:01.234Z')).not.toContain('2026');
  expect(shown('2025-06-15T12:00:01.234Z')).toMatch(/2025.* \d\d:\d\d:01$/);
  expect(shown('never')).toBe('never');
});
