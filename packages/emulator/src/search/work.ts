/** Work in pieces of a few milliseconds. After each piece, something else can run. */
export type Work<T> = Generator<void, T>;

/** Does all the work at once. */
export function finish<T>(work: Work<T>): T {
  let piece = work.next();
  while (!piece.done) piece = work.next();
  return piece.value;
}
