import { escapeUnseen } from './shown-text.ts';

/** A piece of a line of JSON. */
interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark';
  readonly text: string;
}

/** A line of JSON as it is shown. */
export interface JsonLine {
  /** How many levels deep the line is nested. */
  readonly depth: number;
  readonly tokens: readonly JsonToken[];
}

/** A piece of JSON text: a punctuation mark, a string with its quotes, a number or a word. */
interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MARKS = '{}[],:';
const WORD = /[^\s{}[\],:"]+/y;
const LONGEST_TEXT = 5_000;

/**
 * Lays out a JSON text in lines, lazily. It does not parse values and serialise them again. So numbers stay exactly as in the
 * text, also those that a double cannot hold, and repeated keys stay. In strings, readable characters replace escapes such as
 * `\u0142`, and escapes replace invisible characters. The text must be JSON.
 */
export function* jsonLines(text: string): Generator<JsonLine> {
  let depth = 0;
  let lineDepth = 0;
  let tokens: JsonToken[] = [];
  let previous = '';
  for (const { text: piece } of pieces(text)) {
    const closes = piece === '}' || piece === ']';
    if (closes) depth -= 1;
    // There is no line break between the brackets of an empty array or object.
    if (previous === ',' || isOpening(previous) !== closes) {
      yield { depth: lineDepth, tokens };
      tokens = [];
      lineDepth = depth;
    }
    if (piece === ':') tokens = [...tokens.slice(0, -1), ...asKey(tokens.at(-1))];
    else tokens.push(toToken(piece));
    if (isOpening(piece)) depth += 1;
    previous = piece;
  }
  yield { depth: lineDepth, tokens };
}

/** The text of a member of an object, exactly as in the object's text. If the member is repeated, that of the last one. */
export function memberText(text: string, key: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let name = '';
  let start = -1;
  for (const piece of pieces(text)) {
    const closes = piece.text === '}' || piece.text === ']';
    if (closes) depth -= 1;
    const isEnd = depth === 0 ? closes : depth === 1 && piece.text === ',';
    if (isEnd && start >= 0) {
      found = text.slice(start, piece.start).trim();
      start = -1;
    } else if (depth === 1 && piece.text === ':' && start < 0) {
      if (JSON.parse(name) === key) start = piece.end;
    } else if (depth === 1) {
      name = piece.text;
    }
    if (isOpening(piece.text)) depth += 1;
  }
  return found;
}

function* pieces(text: string): Generator<Piece> {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text[at] ?? '';
    if (character === '"') {
      at = endOfString(text, at);
    } else if (MARKS.includes(character)) {
      at += 1;
    } else {
      WORD.lastIndex = at;
      const [word] = WORD.exec(text) ?? [];
      at += word?.length ?? 1;
      if (word === undefined) continue; // space
    }
    yield { text: text.slice(start, at), start, end: at };
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function isOpening(piece: string): boolean {
  return piece === '{' || piece === '[';
}

function toToken(piece: string): JsonToken {
  if (piece.startsWith('"')) return { kind: 'string', text: shown(piece) };
  if (MARKS.includes(piece)) return { kind: 'mark', text: piece };
  return { kind: /^[-\d]/.test(piece) ? 'number' : 'word', text: piece };
}

function asKey(token: JsonToken | undefined): JsonToken[] {
  return token === undefined
    ? []
    : [
        { kind: 'key', text: token.text },
        { kind: 'mark', text: ': ' },
      ];
}

function shown(string: string): string {
  const isLong = string.length > LONGEST_TEXT;
  const readable = escapeUnseen(JSON.stringify(JSON.parse(string)));
  if (!isLong) return readable;
  return `${readable.slice(0, LONGEST_TEXT)}… (${string.length.toLocaleString('en')} characters)`;
}
