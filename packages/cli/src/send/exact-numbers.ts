const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Integers with fewer digits are always exact, and numbers with smaller exponents are never too large. */
const LARGE = /\d{16}|[:[,\s]-?\d[\d.]*[eE]\+?\d{3}/;

/** The first number of a JSON text that is too large for JavaScript, or an integer that it would change, such as an id of 64 bits. */
export function inexactNumber(json: string): string | undefined {
  // Few texts have so large ones at all.
  if (!LARGE.test(json)) return undefined;
  const withoutEscapes = json.replace(/\\./gs, '');
  const outsideOfTexts = withoutEscapes.split('"').filter((_, index) => index % 2 === 0);
  for (const part of outsideOfTexts)
    for (const [number] of part.matchAll(NUMBER)) if (!isExact(number)) return number;
  return undefined;
}

/** Whether JavaScript has this number, and exactly if it is an integer. */
export function isExact(number: string): boolean {
  const value = Number(number);
  return Number.isFinite(value) && (/\D/.test(number.replace(/^-/, '')) || BigInt(value) === BigInt(number));
}
