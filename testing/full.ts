/** Whether the environment variable FULL asks for all cases and the whole time of each test, as `npm run soak` does. */
export const isFull: boolean = Boolean(process.env.FULL);

/** All of them if everything is asked for; otherwise the first ones, so the most telling ones come first. */
export function few<T>(count: number, all: readonly T[]): readonly T[] {
  return isFull ? all : all.slice(0, count);
}

/**
 * How many random cases a test has: with FULL all of them; without it `onNode`, and in a browser a tenth of all. Chromium has the
 * same engine as Node, so what a data structure does in all cases there, it does in a page, too.
 */
export function cases(all: number, onNode: number = all): number {
  if (isFull) return all;
  return typeof document === 'undefined' ? onNode : Math.ceil(all / 10);
}
