import { splitEvents } from '../base/event-bytes.ts';
import { excerptOf } from '../base/excerpt.ts';
import { ask, attempt } from '../base/user-code.ts';
import type { Batch } from '../wait/batch.ts';

/** An event that the service names in its answer as not taken. */
export interface RejectedEvent {
  /** Its place in the batch, from 0. Needed unless there is a uuid. */
  readonly index?: number | undefined;
  readonly uuid?: string | undefined;
  /** Kept with the dead letter. */
  readonly reason?: string | undefined;
}

/** An answer by which the service accepted a batch. */
export interface AcceptingAnswer {
  readonly status: number;
  /** The start of its body as text, at most 64 KiB. */
  readonly body: string;
  /** How many events the batch had. */
  readonly count: number;
}

/** Reads from an answer which events of an accepted batch were not taken; none where it returns nothing. */
export type Classify = (answer: AcceptingAnswer) => readonly RejectedEvent[] | undefined;

const isList = (value: unknown): value is RejectedEvent[] => Array.isArray(value);

/**
 * Which events of an accepted batch the answer names as rejected, by index and in order, each with the reason. Undefined where
 * the function says nothing of the answer. Nonsense names none: the service said that it accepts.
 */
export function rejectedIndexes(
  { events }: Batch,
  { status, body }: { readonly status: number; readonly body: string },
  classify: Classify,
  onFailed: (error: unknown) => void,
): [index: number, reason: string][] | undefined {
  const found = new Map<number, string>();
  const count = events.ends.length;
  let uuids: readonly unknown[] | undefined;
  const add = ({ index, uuid, reason = body }: RejectedEvent) => {
    if (index === undefined) uuids ??= splitEvents(events).map(uuidOf);
    const named = index ?? uuids?.indexOf(String(uuid)) ?? -1;
    if (!Number.isInteger(named) || named < 0 || named >= count) {
      throw new RangeError(`delivery.classify named an event that the batch does not have: ${named}`);
    }
    found.set(named, excerptOf(String(reason)));
  };
  let isSilent = false;
  const call = () => {
    const named = classify({ status, body, count });
    isSilent = !named;
    return named ?? [];
  };
  const named = ask(call, isList, 'delivery.classify must return an array', onFailed);
  if (named === undefined || isSilent) return undefined;
  for (const event of named) {
    attempt(() => add(event), onFailed);
  }
  return [...found].sort(([a], [b]) => a - b);
}

function uuidOf(text: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(text)).uuid;
}
