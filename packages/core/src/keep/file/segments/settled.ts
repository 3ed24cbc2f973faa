/** Resolves once all of these have ended, well or not. To nothing: a chain of these holds on to no outcome. */
export async function settled(...work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}
