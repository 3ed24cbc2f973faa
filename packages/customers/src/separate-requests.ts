import { sharedRequests } from './shared-requests.ts';

/** How many marks of reads are kept. */
const MOST_MARKS = 1_000;

/**
 * As `sharedRequests`, but each read has its own request: on the edge, a runtime that drops one read must not stop the others.
 *
 * @param marks By key, a mark of the last read. If it was removed meanwhile, the answer may be old, and is not kept.
 */
export const separateRequests: typeof sharedRequests = (start, marks: Map<string, unknown>, keep) => {
  return (key, signal) => {
    const mark = {};
    // Dropped reads leave their marks behind.
    if (marks.size >= MOST_MARKS) marks.clear();
    marks.set(key, mark);
    const keepIfCurrent = (key: string, answer: string) => {
      if (marks.get(key) === mark) keep?.(key, answer);
    };
    return sharedRequests(start, new Map(), keepIfCurrent)(key, signal);
  };
};
