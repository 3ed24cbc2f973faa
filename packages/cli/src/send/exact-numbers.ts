/** Integers with fewer digits are always exact. */
const LARGE = /(?<![\d.])\d{16,}(?![\d.eE])/g;

/** The first integer of a JSON text that JavaScript would change, such as an id of 64 bits. Undefined if there is none. */
export function inexactNumber(json: string): string | undefined {
  // Few texts have so many digits at all.
  if (!/\d{16}/.test(json)) return undefined;
  const withoutEscapes = json.replace(/\\./gs, '');
  const outsideOfTexts = withoutEscapes.split('"').filter((_, index) => index % 2 === 0);
  for (const part of outsideOfTexts)
    for (const [digits] of part.matchAll(LARGE)) if (!isExact(digits)) return digits;
  return undefined;
}

/** Whether JavaScript has exactly this integer. */
export function isExact(digits: string): boolean {
  const number = Number(digits);
  return Number.isFinite(number) && BigInt(number) === BigInt(digits);
}
