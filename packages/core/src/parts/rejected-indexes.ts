import { excerptOf } from '../base/reason.ts';
import { ask, attempt } from '../base/user-code.ts';
import type { Batch } from '../wait/parcel.ts';

/** An event that, according to the answer, the service did not take. */
export interface RejectedEvent {
  /** Its index in the batch, from 0. Required if there is no uuid. */
  readonly index?: number | undefined;
  readonly uuid?: string | undefined;
  /** Stored with the dead letter. Default: the body of the answer. */
  readonly reason?: string | undefined;
}

/** An answer with which the service accepted a batch. */
export interface AcceptingAnswer {
  readonly status: number;
  /** The start of the answer's body as text, at most 64 KiB. */
  readonly body: string;
  /** How many events the batch had. */
  readonly count: number;
}

/**
 * Returns the events of an accepted batch that the answer names as not taken. `[]`: the service took all. Undefined: the answer says
 * nothing about that.
 *
 * @example const classify: Classify = ({ body }) => JSON.parse(body).rejected;
 */
export type Classify = (answer: AcceptingAnswer) => readonly RejectedEvent[] | undefined;

const isList = (value: unknown): value is RejectedEvent[] => Array.isArray(value);

/**
 * Returns the events of an accepted batch that the answer names as rejected: the index of each and the reason, in order.
 * Undefined if `classify` says nothing about the answer or fails. An entry that makes no sense is skipped, because the service
 * said that it accepts.
 */
export function rejectedIndexes(
  { texts }: Batch,
  { status, body }: { readonly status: number; readonly body: string },
  classify: Classify,
  onFailed: (error: unknown) => void,
): [index: number, reason: string][] | undefined {
  const found = new Map<number, string>();
  const count = texts.length;
  let uuids: readonly unknown[] | undefined;
  const add = ({ index, uuid, reason = body }: RejectedEvent) => {
    if (index === undefined) uuids ??= texts.map(uuidOf);
    const named = index ?? uuids?.indexOf(String(uuid)) ?? -1;
    if (!Number.isInteger(named) || named < 0 || named >= count) {
      throw new RangeError(`delivery.classify named an event that the batch does not have: ${index ?? uuid}`);
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
