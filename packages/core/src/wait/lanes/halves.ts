import { type EventBytes, splitEvents } from '../../base/event-bytes.ts';
import type { Span } from '../../base/range.ts';

/** In JSON, no text contains this: a quote in a text has a backslash before it. */
const BEFORE = ',"correlationValue":"';
/** The rest of a JSON text. */
const TEXT = /^(?:[^"\\]|\\.)*/;

/** The customer of an event, as JSON writes it. Empty if the event names none. */
function customerOf(event: Uint8Array): string {
  const text = new TextDecoder().decode(event);
  const at = text.indexOf(BEFORE);
  return at < 0 ? '' : (TEXT.exec(text.slice(at + BEFORE.length))?.[0] ?? '');
}

/** Divides events in two halves, each with all events of its customers: their indexes. One, if there is only one customer. */
export function halvesOf(events: EventBytes): Span[][] {
  const customers = splitEvents(events).map(customerOf);
  const counts = new Map<string, number>();
  for (const customer of customers) counts.set(customer, (counts.get(customer) ?? 0) + 1);
  const first = new Set<string>();
  let left = customers.length / 2;
  // The largest first: a small one fits more often.
  for (const [customer, count] of [...counts].sort((one, other) => other[1] - one[1])) {
    if (first.size > 0 && count > left) continue;
    first.add(customer);
    left -= count;
  }
  const halves: [Span[], Span[]] = [[], []];
  for (const [index, customer] of customers.entries()) {
    const half = halves[first.has(customer) ? 0 : 1];
    const last = half.at(-1);
    if (last?.to === index) half[half.length - 1] = { ...last, to: index + 1 };
    else half.push({ from: index, to: index + 1 });
  }
  return halves.filter(({ length }) => length > 0);
}
