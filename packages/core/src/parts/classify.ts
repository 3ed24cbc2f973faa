import { tried } from '@sluice/protocol/toolbox';
import { excerptOf } from '../base/reason.ts';
import { ask, attempt } from '../base/user-code.ts';
import type { ReadRejected } from '../send/http/transport.ts';

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

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, delivery: { classify }, parts: { classify } });
 */
export function classify(
  classify: Classify | undefined,
  onFailed: (callback: string, error: unknown) => void,
): ReadRejected | undefined {
  if (!classify) return undefined;
  const failed = (error: unknown) => onFailed('delivery.classify', error);
  // If the user's function fails, the answer says nothing. A wrong entry is skipped: the service accepted the batch.
  return ({ texts }, { status, body }) => {
    const call = () => classify({ status, body, count: texts.length });
    const named = ask(call, isAnswer, 'delivery.classify must return an array', failed);
    if (!named) return undefined;
    const found = new Map<number, string>();
    let places: ReadonlyMap<string, readonly number[]> | undefined;
    /** Of all events with this uuid: the application may have given it to several. */
    const placesOf = (uuid: unknown) => {
      places ??= texts.reduce((all, text, at) => {
        const key = keyOf(JSON.parse(new TextDecoder().decode(text)).uuid);
        return all.set(key, [...(all.get(key) ?? []), at]);
      }, new Map<string, number[]>());
      return places.get(keyOf(uuid)) ?? [-1];
    };
    const add = ({ index, uuid, reason }: RejectedEvent) => {
      // Services write null for what they leave out.
      for (const at of index == null ? placesOf(uuid) : [index]) {
        if (!Number.isInteger(at) || at < 0 || at >= texts.length)
          throw new RangeError(
            `delivery.classify named an event that the batch does not have: ${index ?? uuid}`,
          );
        // Whatever the reason is: the service does not have the event.
        found.set(at, excerptOf(tried(() => String(reason ?? body)) ?? ''));
      }
    };
    for (const event of named) attempt(() => add(event), failed);
    return [...found].sort(([one], [other]) => one - other);
  };
}

function isAnswer(answer: unknown): answer is ReturnType<Classify> {
  return answer === undefined || answer === null || Array.isArray(answer);
}

/** Services answer in lower case, whatever the application gave. */
function keyOf(uuid: unknown): string {
  return String(uuid).toLowerCase();
}
