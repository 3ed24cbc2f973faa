/** Work in pieces of some milliseconds: after each of them, something else can have its turn. */
export type Work<T> = Generator<void, T>;

/** Does all of it in one go. */
export function finish<T>(work: Work<T>): T {
  let piece = work.next();
  while (!piece.done) piece = work.next();
  return piece.value;
}
