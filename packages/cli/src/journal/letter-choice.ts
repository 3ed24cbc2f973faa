import type { DeadLetter } from '@sluice/core';
import type { Flags } from '../command-spec.ts';
import { UsageError } from '../exit-codes.ts';
import { readDuration } from '../text/amounts.ts';

/** The flags that choose dead letters. A letter must match all that are given. */
export const CHOICE_OPTIONS = [
  ['--reason <text>', 'the answer of the service contains this text'],
  ['--status <number>', 'the status of the answer'],
  ['--event <name>', 'the name of the event'],
  ['--older-than <time>', 'refused longer ago than 30s, 5m, 2h or 7d'],
  ['--newer-than <time>', 'refused since then'],
] as const;

/** Whether a letter is chosen. */
export type LetterChoice = (letter: DeadLetter) => boolean;

/** Makes the choice of ids and flags. Undefined if nothing is given: all. Throws a UsageError for a wrong flag. */
export function readChoice(ids: readonly string[], flags: Flags, now: number): LetterChoice | undefined {
  const tests: LetterChoice[] = [];
  const { reason, status, event, olderThan, newerThan } = flags;
  if (ids.length > 0) tests.push(({ id }) => ids.includes(id));
  if (reason !== undefined) tests.push(({ excerpt }) => excerpt.includes(reason));
  if (event !== undefined) tests.push((letter) => letter.event.event === event);
  if (status !== undefined) {
    if (!/^[1-5]\d\d$/.test(status))
      throw new UsageError(`--status must be a status such as 422, got "${status}"`);
    tests.push((letter) => letter.status === Number(status));
  }
  if (olderThan !== undefined) {
    const before = now - readDuration('--older-than', olderThan);
    tests.push(({ at }) => Date.parse(at) < before);
  }
  if (newerThan !== undefined) {
    const since = now - readDuration('--newer-than', newerThan);
    tests.push(({ at }) => Date.parse(at) >= since);
  }
  return tests.length === 0 ? undefined : (letter) => tests.every((test) => test(letter));
}
