import type { Database } from '../storage/database.ts';
import { escapeText } from '../storage/escaped-text.ts';
import { ATTRIBUTED } from '../storage/event-conditions.ts';
import type { ExactField } from './search-index.ts';
import { exactWord } from './search-index.ts';
import { phrasesOf, wordsOf } from './words.ts';

/** Which events are searched for: those that match all that is given. */
export interface SearchFilter {
  readonly name?: string | undefined;
  readonly correlationValue?: string | undefined;
  readonly source?: string | undefined;
  /** What somebody typed: words that name, customer or payload must have; the last one may be the beginning of a word. */
  readonly text?: string | undefined;
  /** Received from here on, and before: milliseconds since 1970. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly attributed?: boolean | undefined;
}

// The beginnings of words this short are those of very many: they are not looked up, but looked for.
const SHORTEST_PREFIX = 3;

/** A filter as the index and the rows of events can be asked it. */
export interface Plan {
  /** For the full-text tables; undefined where they cannot narrow anything down. It may let too much through. */
  readonly match: string | undefined;
  /** Whether all that `match` lets through (without one: every event) matches the filter, but for its times. */
  readonly isExact: boolean;
  /** Conditions on rows of `events`, to follow `WHERE … AND`: all but the text. */
  readonly conditions: string;
  readonly values: readonly (string | number)[];
  /** What the text of an event must have. */
  readonly phrases: readonly string[];
  /** The same for a full-text table; whole, where `match` leaves out what is not worth being looked up. */
  readonly textMatch: string;
  /** Whether `match` sees to all of the phrases. */
  readonly isTextExact: boolean;
}

/** Prepares a filter. */
export function planOf(filter: SearchFilter): Plan {
  const fields: readonly (readonly [ExactField, string | undefined])[] = [
    ['name', filter.name],
    ['correlation_value', filter.correlationValue],
    ['source', filter.source],
  ];
  const terms: string[] = [];
  const clauses: string[] = [];
  const values: (string | number)[] = [];
  const add = (clause: string, value: string | number) => {
    clauses.push(` AND ${clause}`);
    values.push(value);
  };
  for (const [field, value] of fields) {
    if (value === undefined) continue;
    const escaped = escapeText(value);
    terms.push(`"${exactWord(field, escaped)}"`);
    add(`${field} = ?`, escaped);
  }
  if (filter.from !== undefined) add('received_at >= ?', filter.from);
  if (filter.to !== undefined) add('received_at < ?', filter.to);
  if (filter.attributed !== undefined) add(`${ATTRIBUTED} = ?`, Number(filter.attributed));
  const phrases = phrasesOf(filter.text ?? '');
  const all = phrases.map(matchOf);
  const lookedUp = all.filter((_, at) => at < phrases.length - 1 || isWorthLookingUp(phrases[at] ?? ''));
  const isTextExact = lookedUp.length === phrases.length;
  terms.push(...lookedUp);
  return {
    match: terms.length === 0 ? undefined : terms.join(' '),
    isExact: isTextExact && filter.attributed === undefined,
    conditions: clauses.join(''),
    values,
    phrases,
    textMatch: all.join(' '),
    isTextExact,
  };
}

// In quotes there is no syntax, but for the quote itself.
function matchOf(phrase: string, at: number, phrases: readonly string[]): string {
  const quoted = `"${phrase.replaceAll('"', '""')}"`;
  return at < phrases.length - 1 ? quoted : `${quoted} *`;
}

function isWorthLookingUp(beginning: string): boolean {
  const [first = '', ...others] = wordsOf(beginning);
  return others.length > 0 || first.length >= SHORTEST_PREFIX;
}

/** Whether there is a customer that an event can be attributed to. */
export function hasCustomers(database: Database): boolean {
  return (
    database.prepare('SELECT 1 FROM customers WHERE primary_value IS NOT NULL LIMIT 1').get() !== undefined
  );
}
