import { describe } from '@sluice/protocol';

/** What a thrown value says, whatever it is: user code may throw anything, also what throws when looked at. */
export function reasonOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : describe(thrown);
  } catch {
    return 'a value was thrown that cannot be shown';
  }
}
