import { ATTRIBUTED } from '../storage/event-rows.ts';
import { escapeText } from '../storage/text.ts';
import type { PayloadCondition } from './payload-query.ts';
import { type ExactField, exactWord } from './search-index.ts';

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

/** A filter, prepared for the index and for the rows of events. */
export interface Plan {
  /** The query for the full-text tables; undefined if they cannot narrow down the search. It may match too many events. */
  readonly match: string | undefined;
  /** Whether every event that `match` finds (without `match`: every event) matches the filter, apart from its times. */
  readonly isExact: boolean;
  /** SQL conditions on rows of `events`, to follow `WHERE … AND`. They cover everything but the text. */
  readonly conditions: string;
  readonly values: readonly (string | number)[];
  /** The query for a full-text table of the texts of events; empty if the filter has no text. */
  readonly textMatch: string;
  /** Whether the texts or the payloads of events are read. */
  readonly readsBodies: boolean;
}

/** Prepares a filter. */
export function planOf(filter: SearchFilter): Plan {
  const fields: readonly (readonly [ExactField, string | undefined])[] = [
    ['name', filter.name],
    ['correlation_value', filter.correlationValue],
    ['source', filter.source],
  ];
  const { from, to, attributed, payload = [] } = filter;
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
  if (from !== undefined) add('received_at >= ?', from);
  if (to !== undefined) add('received_at < ?', to);
  if (attributed !== undefined) add(`${ATTRIBUTED} = ?`, Number(attributed));
  for (const condition of payload) add(condition.sql, ...condition.values);
  const textMatch = matchOf(filter.text ?? '');
  if (textMatch !== '') terms.push(textMatch);
  return {
    match: terms.length === 0 ? undefined : terms.join(' '),
    isExact: attributed === undefined && payload.length === 0,
    conditions: clauses.join(''),
    values,
    textMatch,
    readsBodies: textMatch !== '' || payload.length > 0,
  };
}

/**
 * Typed text as a full-text query: phrases, the last of which may end with the beginning of a word. What has no word is left out.
 * (Nobody types U+E000: the index uses it.)
 */
function matchOf(typed: string): string {
  const phrases = typed.split(/[\s\0\uE000]+/u).filter((phrase) => /[\p{L}\p{N}\p{Co}]/u.test(phrase));
  // Inside quotes, only the quote itself has a special meaning.
  const quoted = phrases.map((phrase) => `"${phrase.replaceAll('"', '""')}"`);
  return quoted.length === 0 ? '' : `${quoted.join(' ')} *`;
}
