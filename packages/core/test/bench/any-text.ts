import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any code point but the halves of pairs. fast-check's own unit `binary` first makes a list of all of them, for each arbitrary. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(
    (number) => String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count),
    numberOf,
  );

function numberOf(text: unknown): number {
  if (typeof text !== 'string' || [...text].length !== 1) throw new TypeError('not one character');
  const code = text.codePointAt(0) ?? 0;
  if (code >= SURROGATES.from && code < SURROGATES.from + SURROGATES.count)
    throw new TypeError('half a pair');
  return code < SURROGATES.from ? code : code - SURROGATES.count;
}

/** Texts of any characters, also names such as `__proto__`. */
export function anyText(
  bounds: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...bounds, unit: character });
}
