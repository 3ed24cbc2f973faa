/**
 * Resolves once all these promises have settled. Resolves to nothing, so that a chain of such calls keeps no results in memory.
 */
export async function settled(...work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}
