import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { Condition } from '../storage/event-filter.ts';

type Literal = string | number | boolean | null;

// No key has U+0000 itself: JSON has an escape for it, and SQLite would end the path there.
const STEP = String.raw`\.(?:"(?:[^"\\\0]|\\(?!\0).)*"|[\p{L}\p{N}_$-]+)|\[\d+\]`;
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|[^\s"]+`;
/** A path, perhaps an operator with a value, and then `and` or the end. */
const CONDITION = new RegExp(
  String.raw`\s*payload((?:${STEP})+)\s*(?:(!=|>=|<=|=|>|<)\s*(${VALUE})\s*)?(?:$|(?<=\s)and\s)`,
  'iuy',
);
const LONGEST = 1_000;
const MOST = 10;

const PATH = new RegExp(String.raw`\s*payload((?:${STEP})+)\s*(?:$|,)`, 'iuy');

/**
 * Reads conditions such as `payload.total > 100 and payload.items[0].sku = "A-1"`. A path alone asks that it is there. Numbers are
 * compared with numbers, texts with texts. Throws a {@link ConfigError}.
 */
export function readPayloadConditions(text: string): Condition[] {
  const rule = `must be at most ${MOST} conditions such as payload.total > 100 and payload.sku = "A-1"`;
  return readParts('payload', rule, CONDITION, text).map(([, path = '', operator, value]) =>
    conditionOf(pathOf(path), operator, value),
  );
}

/** Reads paths such as `payload.total, payload.items[0].sku`, as SQLite writes them. Throws a {@link ConfigError}. */
export function readPayloadPaths(text: string): string[] {
  const rule = `must be at most ${MOST} keys such as payload.total, payload.items[0].sku`;
  return readParts('keys', rule, PATH, text).map(([, path = '']) => pathOf(path));
}

/** The keys of a list that {@link readPayloadPaths} takes, as written but without `payload.`. Ends where the list is wrong. */
export function payloadKeys(text: string): string[] {
  const paths = text.matchAll(new RegExp(PATH, 'giuy'));
  return Array.from(paths, ([, path = '']) => path.replace(/^\./, ''));
}

/** Splits a text into matches of `part`, one directly after the other. */
function readParts(name: string, rule: string, part: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < text.trimEnd().length) {
    const match = text.length <= LONGEST && found.length < MOST ? part.exec(text) : null;
    if (match === null) throw new ConfigError(name, `${name} ${rule}, got ${describe(text)}`);
    found.push(match);
  }
  return found;
}

/** The path as SQLite writes it. */
function pathOf(steps: string): string {
  const all = steps.match(new RegExp(STEP, 'giu')) ?? [];
  const quoted = all.map((step) => step.replace(/^\.([^"].*)$/u, '."$1"'));
  // For SQLite, a quoted name ends at its first quote, even at an escaped one.
  return `$.payload${quoted.join('')}`.replace(/\\./gu, (pair) => (pair === '\\"' ? '\\u0022' : pair));
}

function conditionOf(path: string, operator: string | undefined, value: string = ''): Condition {
  const type = 'json_type(body, ?)';
  if (operator === undefined) return onlyJson(`${type} IS NOT NULL`, [path]);
  const literal = literalOf(value);
  const isEqual = operator === '=' || operator === '!=';
  if (typeof literal !== 'string' && typeof literal !== 'number') {
    if (!isEqual)
      throw new ConfigError('payload', `payload ${operator} needs a number or a text, got ${value}`);
    return onlyJson(`${type} ${operator} ?`, [path, String(literal)]);
  }
  const types = typeof literal === 'number' ? "'integer', 'real'" : "'text'";
  const isOfType = `${type} IN (${types})`;
  const compared = `json_extract(body, ?) ${operator} ?`;
  // What has another type is another value.
  return operator === '!='
    ? onlyJson(`${type} NOT IN (${types}) OR ${compared}`, [path, path, literal])
    : onlyJson(`${isOfType} AND ${compared}`, [path, path, literal]);
}

/** SQLite refuses to read what is nested more than a thousand levels deep: no condition holds for that. */
function onlyJson(sql: string, values: Condition['values']): Condition {
  return { sql: `CASE WHEN json_valid(body) THEN (${sql}) ELSE 0 END`, values };
}

/** A value as JSON; a word without quotes is a text. */
function literalOf(value: string): Literal {
  try {
    const literal: unknown = JSON.parse(value);
    if (typeof literal !== 'object' || literal === null) return literal as Literal;
  } catch {
    // It is a word.
  }
  return value;
}
