import { escapeText } from '../storage/events/escaped-text.ts';
import { ATTRIBUTED } from '../storage/events/event-conditions.ts';
import type { PayloadCondition } from './payload-query.ts';
import type { ExactField } from './search-index.ts';
import { exactWord } from './search-index.ts';
import { phrasesOf, wordsOf } from './text/words.ts';

/** Which events to search for: those that match all given fields. */
export interface SearchFilter {
  readonly name?: string | undefined;
  readonly correlationValue?: string | undefined;
  readonly source?: string | undefined;
  /** Typed text: words that the name, the customer or the payload must have. The last one may be the beginning of a word. */
  readonly text?: string | undefined;
  /** Received at `from` or later, and before `to`: milliseconds since 1970. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly attributed?: boolean | undefined;
  readonly payload?: readonly PayloadCondition[] | undefined;
}

// Very many words begin with a shorter text than this. So a shorter beginning is not looked up in the index: the texts of events
// are searched instead.
const SHORTEST_PREFIX = 3;

/** A filter, prepared for the index and for the rows of events. */
export interface Plan {
  /** The query for the full-text tables; undefined if they cannot narrow down the search. It may match too many events. */
  readonly match: string | undefined;
  /** Whether every event that `match` finds (without `match`: every event) matches the filter, apart from its times. */
  readonly isExact: boolean;
  /** Whether the conditions read the bodies of events. */
  readonly readsBodies: boolean;
  /** SQL conditions on rows of `events`, to follow `WHERE … AND`. They cover everything but the text. */
  readonly conditions: string;
  readonly values: readonly (string | number)[];
  /** The phrases that the text of an event must have. */
  readonly phrases: readonly string[];
  /**
   * The same phrases as a query for a full-text table. It has all of them; `match` leaves out those that are not worth looking
   * up.
   */
  readonly textMatch: string;
  /** Whether `match` covers all phrases. */
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
  const add = (clause: string, ...parameters: readonly (string | number)[]) => {
    clauses.push(` AND ${clause}`);
    values.push(...parameters);
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
  const { payload = [] } = filter;
  for (const condition of payload) add(condition.sql, ...condition.values);
  const readsBodies = payload.length > 0;
  const phrases = phrasesOf(filter.text ?? '');
  const all = phrases.map(matchOf);
  const lookedUp = all.filter((_, at) => at < phrases.length - 1 || isWorthLookingUp(phrases[at] ?? ''));
  const isTextExact = lookedUp.length === phrases.length;
  terms.push(...lookedUp);
  return {
    match: terms.length === 0 ? undefined : terms.join(' '),
    isExact: isTextExact && filter.attributed === undefined && !readsBodies,
    readsBodies,
    conditions: clauses.join(''),
    values,
    phrases,
    textMatch: all.join(' '),
    isTextExact,
  };
}

// Inside quotes, only the quote itself has a special meaning.
function matchOf(phrase: string, at: number, phrases: readonly string[]): string {
  const quoted = `"${phrase.replaceAll('"', '""')}"`;
  return at < phrases.length - 1 ? quoted : `${quoted} *`;
}

function isWorthLookingUp(beginning: string): boolean {
  const [first = '', ...others] = wordsOf(beginning);
  return others.length > 0 || first.length >= SHORTEST_PREFIX;
}
