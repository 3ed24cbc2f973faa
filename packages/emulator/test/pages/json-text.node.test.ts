import { describe, expect, it } from 'vitest';
import { jsonLines } from '../../pages/parts/json-text.ts';

function laidOut(text: string): string {
  const lines = [...jsonLines(text)];
  return lines
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n');
}

describe('JSON laid out to be read', () => {
  it.each([
    '{"a":1,"b":[true,null,{"c":"d"}],"e":{},"f":[],"g":[[],[{}]]}',
    '[]',
    '"text"',
    '-1.5',
    '{"quote\\"d":"back\\\\slash","brackets":"{[:]}"}',
  ])('stands as JSON.stringify would indent it: %s', (text) => {
    expect(laidOut(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    expect(laidOut(` ${text.replaceAll(',', ' ,\n\t')} `)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  it('keeps numbers that a double cannot hold, and repeated keys', () => {
    const text = '{"n":12345678901234567890.12345678901234567890,"n":1e999,"z":-0.0}';
    expect(laidOut(text)).toBe(
      '{\n  "n": 12345678901234567890.12345678901234567890,\n  "n": 1e999,\n  "z": -0.0\n}',
    );
  });

  it('shows letters in place of their escapes, and escapes in place of what cannot be seen', () => {
    expect(laidOut('"\\u017c\\u00f3\\u0142w \\/ \u202eevil \u200b \\ud800 \\n"')).toBe(
      '"żółw / \\u202eevil \\u200b \\ud800 \\n"',
    );
  });

  it('tells keys and kinds of values apart', () => {
    const [, line] = jsonLines('{"key":[1]}');
    expect(line?.tokens).toEqual([
      { kind: 'key', text: '"key"' },
      { kind: 'mark', text: ': ' },
      { kind: 'mark', text: '[' },
    ]);
    const kinds = [...jsonLines('["s",-1,true,null]')].map(({ tokens }) => tokens[0]?.kind);
    expect(kinds).toEqual(['mark', 'string', 'number', 'word', 'word', 'mark']);
  });

  it('is made as far as it is read, also of very deep and very long texts', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect([...jsonLines(deep)]).toHaveLength(199_999);
    const endless = jsonLines(`[${'1,'.repeat(1_000_000)}1]`);
    expect(endless.next().value.tokens[0].text).toBe('[');
    const long = laidOut(JSON.stringify('x'.repeat(1_000_000)));
    expect(long).toMatch(/^"x+… \(1,000,002 characters\)$/);
    expect(long.length).toBeLessThan(6_000);
  });
});
