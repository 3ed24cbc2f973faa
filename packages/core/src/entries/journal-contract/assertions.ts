const MOST_CHARACTERS = 500;

/** Throws an AssertionError, as test runners show it, unless both are the same JSON. The order of fields does not count. */
export function equal(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [textOf(actual), textOf(expected)];
  if (got !== wanted) {
    fail(`${what}: expected ${wanted.slice(0, MOST_CHARACTERS)}, got ${got.slice(0, MOST_CHARACTERS)}`, {
      actual,
      expected,
    });
  }
}

/** Throws an AssertionError unless this is true. */
export function ensure(isTrue: boolean, what: string): void {
  if (!isTrue) fail(what);
}

function fail(message: string, values: { actual?: unknown; expected?: unknown } = {}): never {
  throw Object.assign(new Error(message), { name: 'AssertionError', ...values });
}

function textOf(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? String(value);
}
