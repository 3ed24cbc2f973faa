import { expect, it } from 'vitest';
import { shownText } from '../../pages/parts/text.tsx';

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
