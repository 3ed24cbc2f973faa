import { escapeText } from '../storage/database.ts';
import { type Condition, conditionOf, type SearchFilter } from '../storage/event-filter.ts';
import { exactWord } from './search-index.ts';

/** A filter, prepared for the index and for the rows of events. */
export interface Plan {
  /** The query for the full-text tables; undefined if they cannot narrow down the search. It may match too many events. */
  readonly match: string | undefined;
  /** Whether every event that `match` finds (without `match`: every event) matches the filter, apart from its times. */
  readonly isExact: boolean;
  /** Everything but the text, for rows of `events`. */
  readonly condition: Condition;
  /** Whether the filter has words. Only the index knows which events have these. */
  readonly hasText: boolean;
  /** Whether the payloads of events are read. */
  readonly readsBodies: boolean;
}

/** Prepares a filter. */
export function planOf(filter: SearchFilter): Plan {
  const { name, correlationValue, source, uuid, attributed, payload = [], text = '' } = filter;
  const exact = Object.entries({ name, correlation_value: correlationValue, source });
  const terms = exact.flatMap(([field, value]) =>
    value === undefined ? [] : `"${exactWord(field, escapeText(value))}"`,
  );
  const textMatch = matchOf(text);
  if (textMatch !== '') terms.push(textMatch);
  return {
    match: terms.length === 0 ? undefined : terms.join(' '),
    isExact: uuid === undefined && attributed === undefined && payload.length === 0,
    condition: conditionOf(filter),
    hasText: textMatch !== '',
    readsBodies: payload.length > 0,
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
