import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { RequestContext } from '../running/application.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadConditions } from '../search/payload-query.ts';
import type { ValueField } from '../search/value-list.ts';

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const FIELDS: readonly ValueField[] = ['name', 'source', 'correlationValue'];
const LONGEST_TEXT = 1_000;
const MOST_WORDS = 20;

/** Reads the filter from the query of a URL. Empty fields count as not given. Throws {@link ConfigError}. */
export function readSearchFilter(request: RequestContext['req']): SearchFilter {
  const read = (name: string) => request.query(name) || undefined;
  return {
    name: read('name'),
    correlationValue: read('correlationValue'),
    source: read('source'),
    text: checkText(read('text')),
    from: readTime('from', read('from')),
    to: readTime('to', read('to')),
    attributed: readBoolean('attributed', read('attributed')),
    payload: readPayloadConditions(read('payload') ?? ''),
  };
}

/** Reads the name of the field whose values are wanted. Throws {@link ConfigError}. */
export function readValueField(request: RequestContext['req']): ValueField {
  const name = request.query('field');
  const field = FIELDS.find((each) => each === name);
  if (field !== undefined) return field;
  throw new ConfigError('field', `field must be one of ${FIELDS.join(', ')}, got ${describe(name)}`);
}

function checkText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > LONGEST_TEXT || text.trim().split(/\s+/).length > MOST_WORDS) {
    const rule = `must have at most ${LONGEST_TEXT} characters and ${MOST_WORDS} words`;
    throw new ConfigError('text', `text ${rule}, got ${text.length} characters`);
  }
  return text;
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ConfigError(name, `${name} must be a time as 2026-11-22T04:05:06.789Z, got ${describe(text)}`);
}

function readBoolean(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined || text === 'true' || text === 'false') {
    return text === undefined ? undefined : text === 'true';
  }
  throw new ConfigError(name, `${name} must be true or false, got ${describe(text)}`);
}
