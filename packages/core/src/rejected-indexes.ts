import type { Batch } from './batch.ts';
import type { Classify, RejectedEvent } from './classify.ts';
import { MAX_EXCERPT_LENGTH } from './excerpt.ts';
import type { EventBytes } from './journal.ts';
import { nonsense } from './nonsense.ts';

/**
 * Which events of an accepted batch the answer names as rejected, by index and in order, each with the reason. Nonsense
 * names none: the service said that it accepts.
 */
export function rejectedIndexes(
  { events }: Batch,
  { status, body }: { readonly status: number; readonly body: string },
  classify: Classify | undefined,
  onFailed: (hook: string, error: unknown) => void,
): [index: number, reason: string][] {
  if (classify === undefined) return [];
  const found = new Map<number, string>();
  const count = events.ends.length;
  let uuids: readonly unknown[] | undefined;
  const add = ({ index, uuid, reason = body }: RejectedEvent) => {
    if (index === undefined) uuids ??= uuidsOf(events);
    const named = index ?? uuids?.indexOf(String(uuid)) ?? -1;
    if (!Number.isInteger(named) || named < 0 || named >= count) {
      throw new RangeError(`delivery.classify named an event that the batch does not have: ${named}`);
    }
    found.set(named, String(reason).slice(0, MAX_EXCERPT_LENGTH));
  };
  guard(() => {
    const rejected = classify({ status, body, count }) ?? [];
    if (!Array.isArray(rejected)) throw nonsense('delivery.classify must return an array', rejected);
    for (const event of rejected) guard(() => add(event));
  });
  return [...found].sort(([a], [b]) => a - b);

  function guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      onFailed('delivery.classify', error);
    }
  }
}

function uuidsOf({ bytes, ends }: EventBytes): unknown[] {
  const text = new TextDecoder();
  return Array.from(ends, (end, index) => {
    const start = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
    return JSON.parse(text.decode(bytes.subarray(start, end))).uuid;
  });
}
