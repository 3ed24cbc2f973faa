import { setImmediate } from 'node:timers/promises';
import { EVENTS_PATH, type Event, findBatchProblem, findEventProblem, isUuid } from '@sluice/protocol';
import type { Injection } from '../faults/injection.ts';
import { acceptedAnswer, type LeftOut } from '../http/answers.ts';
import type { InterfaceEndpoint } from '../http/interface-endpoint.ts';
import { quote } from '../messages.ts';
import { elementTexts, isJsonObject } from './json-text.ts';
import { Refusal, type RefusalCode } from './refusal.ts';
import type { ReceivedEvent } from './tracked-events.ts';

// Events checked in one turn. Other requests are served in between.
const AT_ONCE = 5_000;

/** The endpoint that ingests a batch of events (section 4.1). */
export const eventsEndpoint: InterfaceEndpoint = {
  name: 'events',
  path: EVENTS_PATH,
  async serve(exchange, primaryKey, body) {
    const { behaviour } = exchange;
    const elements = batchElements(body.value);
    exchange.events = elements.length;
    checkLength(elements, behaviour.maxEvents);
    const texts = elementTexts(body.text, 'batch')[Symbol.iterator]();
    const right: ReceivedEvent[] = [];
    const wrong: LeftOut[] = [];
    for (const [index, element] of elements.entries()) {
      if (index > 0 && index % AT_ONCE === 0) await setImmediate();
      // `texts` has an entry only for objects and arrays.
      const hasText = typeof element === 'object' && element !== null;
      const text = (hasText && texts.next().value) || JSON.stringify(element);
      const problem = findProblem(element, text, `batch[${index}]`, primaryKey, exchange.injection);
      if (problem === undefined) right.push({ event: element as Event, text });
      else if (behaviour.badEvents === 'refuse') throw new Refusal(problem.code, problem.message, problem);
      else {
        const uuid = isJsonObject(element) && isUuid(element.uuid) ? { uuid: element.uuid } : {};
        wrong.push({ index, ...uuid, ...problem });
      }
    }
    const [first] = wrong;
    if (first !== undefined) {
      const message = `${wrong.length} of ${elements.length} events were left out: ${first.message}`;
      exchange.error = { code: first.code, message, field: first.field };
    }
    const uncounted = acceptedAnswer(behaviour, { accepted: 0, repeated: 0 }, wrong);
    const outcome = await exchange.ingest(right, uncounted);
    return exchange.respond(acceptedAnswer(behaviour, outcome, wrong));
  },
};

/** Returns the elements of a batch (section 2.1). Throws {@link Refusal} if the body is not a batch. */
function batchElements(value: unknown): readonly unknown[] {
  const batch = isJsonObject(value) && Object.hasOwn(value, 'batch') && value.batch;
  if (Array.isArray(batch) && batch.length > 0) return batch;
  const code = Array.isArray(batch) ? 'empty_batch' : 'invalid_field';
  const problem = findBatchProblem(value);
  const { message, field } = problem ?? { message: 'The body must be a batch.', field: 'batch' };
  throw new Refusal(code, message, { field });
}

function checkLength({ length }: readonly unknown[], maxEvents: number | null): void {
  if (maxEvents === null || length <= maxEvents) return;
  const message = `batch must hold at most ${maxEvents} events, got ${length}: send smaller batches.`;
  throw new Refusal('too_many_events', message, { field: 'batch' });
}

function findProblem(
  element: unknown,
  text: string,
  at: string,
  primaryKey: string,
  injection: Injection | undefined,
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
  const reason = injection?.objection(text);
  return reason === undefined ? undefined : { code: 'invalid_field', message: `${at} ${reason}`, field: at };
}
