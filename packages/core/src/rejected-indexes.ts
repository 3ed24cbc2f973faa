import type { Batch } from './batch.ts';
import type { Classify } from './classify.ts';
import { MAX_EXCERPT_LENGTH } from './redaction.ts';

/**
 * Which events of an accepted batch the answer names as rejected, by index and in order, each with the reason. Nonsense
 * names none: the service said that it accepts.
 */
export function rejectedIndexes(
  { events: { bytes, ends } }: Batch,
  { status, body }: { readonly status: number; readonly body: string },
  classify: Classify | undefined,
  onFailed: (hook: string, error: unknown) => void,
): [index: number, reason: string][] {
  if (classify === undefined) return [];
  const found = new Map<number, string>();
  try {
    for (const { index, uuid, reason = body } of classify({ status, body, count: ends.length }) ?? []) {
      const named = index ?? indexOf(String(uuid));
      if (!Number.isInteger(named) || named < 0 || named >= ends.length) {
        throw new RangeError(`delivery.classify named an event that the batch does not have: ${named}`);
      }
      found.set(named, String(reason).slice(0, MAX_EXCERPT_LENGTH));
    }
  } catch (error) {
    onFailed('delivery.classify', error);
  }
  return [...found].sort(([a], [b]) => a - b);

  function indexOf(uuid: string): number {
    const text = new TextDecoder();
    return ends.findIndex((end, number) => {
      const start = number === 0 ? 0 : (ends[number - 1] ?? 0) + 1;
      return JSON.parse(text.decode(bytes.subarray(start, end))).uuid === uuid;
    });
  }
}
