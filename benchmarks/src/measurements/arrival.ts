import type { Receiving } from '../processes/receiving.ts';

/** Throws unless exactly this many events arrived since the last count, each once. Returns when the first request came. */
export async function checkArrival(receiver: Receiving, events: number, what: string): Promise<number> {
  const { received, unique, firstRequestAt } = await receiver.count();
  if (unique === events && received === events) return firstRequestAt ?? Number.NaN;
  throw new Error(`${what}: of ${events} events, ${unique} arrived, and ${received - unique} more than once`);
}
