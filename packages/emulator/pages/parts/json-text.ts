import { escapeUnseen } from './text.tsx';

/** A piece of a line of JSON. */
interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark';
  readonly text: string;
}

/** A line of JSON as it is shown. */
export interface JsonLine {
  /** How many levels deep the line is nested. */
  readonly depth: number;
  readonly tokens: JsonToken[];
}

const LONGEST_TEXT = 5_000;
/** The strings with their quotes, punctuation marks, numbers and words of a JSON text. */
const PIECES = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Lays out a JSON text in lines, lazily. It does not parse values and serialise them again. So numbers stay exactly as in the
 * text, also those that a double cannot hold, and repeated keys stay. In strings, readable characters replace escapes such as
 * `\u0142`, and escapes replace invisible characters. The text must be JSON. Throws at a string of too many millions of escapes.
 */
export function* jsonLines(text: string): Generator<JsonLine> {
  let depth = 0;
  let line: JsonLine = { depth, tokens: [] };
  let previous = '';
  for (const [piece] of text.matchAll(PIECES)) {
    const isEnd = piece === '}' || piece === ']';
    const isAfterStart = previous === '{' || previous === '[';
    if (isEnd) depth -= 1;
    // There is no line break between the brackets of an empty array or object.
    if (previous === ',' || isAfterStart !== isEnd) {
      yield line;
      line = { depth, tokens: [] };
    }
    const key = piece === ':' ? line.tokens.pop() : undefined;
    if (key !== undefined) line.tokens.push({ kind: 'key', text: key.text }, { kind: 'mark', text: ': ' });
    else line.tokens.push(toToken(piece));
    if (piece === '{' || piece === '[') depth += 1;
    previous = piece;
  }
  yield line;
}

function toToken(piece: string): JsonToken {
  if (piece.startsWith('"')) return { kind: 'string', text: shown(piece) };
  if ('{}[],:'.includes(piece)) return { kind: 'mark', text: piece };
  return { kind: /^[-\d]/.test(piece) ? 'number' : 'word', text: piece };
}

function shown(string: string): string {
  const readable = escapeUnseen(JSON.stringify(JSON.parse(string)));
  if (string.length <= LONGEST_TEXT) return readable;
  return `${readable.slice(0, LONGEST_TEXT)}… (${string.length.toLocaleString('en')} characters)`;
}
