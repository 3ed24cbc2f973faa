/** The result of a call; undefined if it throws. */
export function tried<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
