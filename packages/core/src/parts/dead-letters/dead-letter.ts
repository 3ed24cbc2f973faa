import { MAX_EXCERPT_LENGTH } from '../../base/excerpt.ts';
import { uuid } from '../../base/uuid.ts';
import type { Refusal } from '../../send/trials.ts';

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

/** Marks the start of the event. It cannot occur before that: in the excerpt, each quote has a backslash before it. */
const EVENT_MARK = ',"event":';

/** The text of a letter. The bytes of the event do not change: a replay sends what was tracked. */
export function writeLetter(event: Uint8Array, { status, excerpt }: Refusal, now: number): string {
  const at = new Date(now).toISOString();
  const head = JSON.stringify({ id: uuid(), at, status, excerpt: excerpt.slice(0, MAX_EXCERPT_LENGTH) });
  return `${head.slice(0, -1)}${EVENT_MARK}${new TextDecoder().decode(event)}}`;
}

/** Reads the text of a letter: the letter, and the bytes of its event as they were sent. Undefined if it is not a letter. */
export function readLetter(text: Uint8Array): { letter: DeadLetter; event: Uint8Array } | undefined {
  const marking = new TextEncoder().encode(EVENT_MARK);
  const mark = text.findIndex((_, at) => marking.every((byte, index) => text[at + index] === byte));
  const eventText = text.subarray(mark + EVENT_MARK.length, -1);
  try {
    const head = JSON.parse(`${new TextDecoder().decode(text.subarray(0, mark))}}`);
    const event = JSON.parse(new TextDecoder().decode(eventText));
    const { id, at, status, excerpt } = head;
    return typeof id === 'string'
      ? { letter: { id, at, status, excerpt, event }, event: eventText }
      : undefined;
  } catch {
    return undefined;
  }
}
