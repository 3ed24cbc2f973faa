import { excerptOf } from '../../base/reason.ts';
import { uuid } from '../../base/uuid.ts';
import type { Refusal } from '../../send/parcel-trial.ts';

/** An event that the service refused for good, and why. */
export interface DeadLetter {
  /** Names this letter, also after a restart. If the event is refused again after a replay, that is another letter. */
  readonly id: string;
  /** When it was refused: ISO 8601, UTC. */
  readonly at: string;
  /** The status of the answer. */
  readonly status: number;
  /** The start of the answer, without the key. */
  readonly excerpt: string;
  /** The event as it was sent, parsed. */
  readonly event: Readonly<Record<string, unknown>>;
}

/** Which dead letters: an array of ids, or a function that returns true for them. Left out: all. */
export type DeadLetterFilter = readonly string[] | ((letter: DeadLetter) => boolean);

/** Marks the start of the event. It cannot occur before that: in the excerpt, each quote has a backslash before it. */
const EVENT_MARK = ',"event":';

/** Returns the text of a letter. The text of the event stays the same: a replay sends what was tracked. */
export function writeLetter(event: Uint8Array, { status, excerpt }: Refusal, now: number): string {
  const at = new Date(now).toISOString();
  const head = JSON.stringify({ id: uuid(), at, status, excerpt: excerptOf(excerpt) });
  return `${head.slice(0, -1)}${EVENT_MARK}${new TextDecoder().decode(event)}}`;
}

/** Reads the text of a letter: the letter, and the text of its event as it was sent. Undefined if it is not a letter. */
export function readLetter(text: string): { letter: DeadLetter; event: string } | undefined {
  const mark = text.indexOf(EVENT_MARK);
  const event = text.slice(mark + EVENT_MARK.length, -1);
  try {
    const { id, at, status, excerpt } = JSON.parse(`${text.slice(0, mark)}}`);
    const letter = { id, at, status, excerpt, event: JSON.parse(event) };
    return typeof id === 'string' ? { letter, event } : undefined;
  } catch {
    return undefined;
  }
}
