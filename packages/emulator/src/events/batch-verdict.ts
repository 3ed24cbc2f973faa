import { setImmediate } from 'node:timers/promises';
import { type Event, findBatchProblem, findEventProblem, isUuid } from '@sluice/protocol';
import type { LeftOut } from '../http/answers.ts';
import type { JsonBody } from '../http/request-body.ts';
import { quote } from '../quote.ts';
import { elementTexts } from './json-text.ts';
import { Refusal, type RefusalCode } from './refusal.ts';
import type { ReceivedEvent } from './tracked-events.ts';

// Events checked in one turn. Other requests are served in between.
const AT_ONCE = 5_000;

/** Which events of a batch are valid, and what is wrong with the others. */
export interface BatchVerdict {
  readonly right: readonly ReceivedEvent[];
  readonly wrong: readonly LeftOut[];
}

/** The rules for a batch. */
export interface BatchRules {
  readonly primaryKey: string;
  /** Maximum number of events; null for no limit. */
  readonly maxEvents: number | null;
  /** Returns why an event is refused that breaks no rule, from its JSON text; undefined if it is not refused. */
  readonly objection: (text: string) => string | undefined;
}

/** Returns the elements of a batch (section 2.1). Throws {@link Refusal} if the body is not a batch. */
export function batchElements({ value }: JsonBody): readonly unknown[] {
  const batch =
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'batch') &&
    Reflect.get(value, 'batch');
  if (Array.isArray(batch) && batch.length > 0) return batch;
  const code = Array.isArray(batch) ? 'empty_batch' : 'invalid_field';
  const problem = findBatchProblem(value);
  throw new Refusal(code, problem?.message ?? 'The body must be a batch.', {
    field: problem?.field ?? 'batch',
  });
}

/** Checks each event of a batch. Throws {@link Refusal} if there are too many. */
export async function judgeBatch(
  body: JsonBody,
  elements: readonly unknown[],
  rules: BatchRules,
): Promise<BatchVerdict> {
  const { maxEvents } = rules;
  if (maxEvents !== null && elements.length > maxEvents) {
    const message = `batch must hold at most ${maxEvents} events, got ${elements.length}: send smaller batches.`;
    throw new Refusal('too_many_events', message, { field: 'batch' });
  }
  const texts = elementTexts(body.text, 'batch')[Symbol.iterator]();
  const right: ReceivedEvent[] = [];
  const wrong: LeftOut[] = [];
  for (const [index, element] of elements.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await setImmediate();
    // `texts` has an entry only for objects and arrays.
    const hasText = typeof element === 'object' && element !== null;
    const text = (hasText && texts.next().value) || JSON.stringify(element);
    const problem = findProblem(element, text, `batch[${index}]`, rules);
    if (problem === undefined) right.push({ event: element as Event, text });
    else wrong.push({ index, ...uuidOf(element), ...problem });
  }
  return { right, wrong };
}

function findProblem(
  element: unknown,
  text: string,
  at: string,
  { primaryKey, objection }: BatchRules,
): { code: RefusalCode; message: string; field: string } | undefined {
  const problem = findEventProblem(element, at);
  if (problem !== undefined) return { code: 'invalid_field', ...problem };
  const { correlationKey } = element as Event;
  // Section 2.2: for custom events, the key is always the primary key.
  if (correlationKey !== primaryKey) {
    const field = `${at}.correlationKey`;
    const message = `${field} must be the selected primary key ${quote(primaryKey)}, got ${quote(correlationKey)}`;
    return { code: 'wrong_correlation_key', message, field };
  }
  const reason = objection(text);
  return reason === undefined ? undefined : { code: 'invalid_field', message: `${at} ${reason}`, field: at };
}

function uuidOf(element: unknown): { readonly uuid?: string } {
  if (typeof element !== 'object' || element === null) return {};
  const uuid: unknown = Reflect.get(element, 'uuid');
  return isUuid(uuid) ? { uuid } : {};
}
