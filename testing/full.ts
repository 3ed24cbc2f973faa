/** Whether the environment variable FULL asks for all cases and the whole time of each test, as `npm run soak` does. */
export const isFull: boolean = Boolean(process.env.FULL);

/** All of them if everything is asked for; otherwise the first ones, so the most telling ones come first. */
export function few<T>(count: number, all: readonly T[]): readonly T[] {
  return isFull ? all : all.slice(0, count);
}
