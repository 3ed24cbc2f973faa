import { describe } from '@sluice/protocol';

/** Whether a thrown value is an error of a class. False where it cannot even be looked at. */
export function isThrown<Thrown extends Error>(
  thrown: unknown,
  kind: abstract new (...given: never[]) => Thrown,
): thrown is Thrown {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** What was thrown, as an error, whatever it is. */
export function errorOf(thrown: unknown): Error {
  return isThrown(thrown, Error) ? thrown : new Error(reasonOf(thrown));
}

/** What a thrown value says, whatever it is: user code may throw anything, also what throws when looked at. */
export function reasonOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : describe(thrown);
  } catch {
    return 'a value was thrown that cannot be shown';
  }
}
