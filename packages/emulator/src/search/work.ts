/** Work in pieces of a few milliseconds. After each piece, something else can run. */
export type Work<T> = Generator<void, T>;
