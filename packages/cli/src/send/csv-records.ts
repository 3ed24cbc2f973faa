import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { UsageError } from '../exit-codes.ts';
import { boundedRows } from './bounded-rows.ts';
import type { FileRecord } from './file-record.ts';

interface Parsed {
  readonly record: Record<string, string>;
  readonly info: Info;
  readonly raw: string;
}

const LINE_END = /\n|\r[^\n]/;
/** The parser would take the first one as the line of names. */
const BLANK_LINES = /^(?:[^\S\r\n]*[\r\n])+/;
const MOST_HEAD = 1024 * 1024;

const REASONS = [
  ['CSV_RECORD_INCONSISTENT_COLUMNS', 'it has another number of columns than the first line'],
  ['CSV_QUOTE_NOT_CLOSED', 'a quote is opened and never closed'],
] as const;

/** CSV with a line of names. @param delimiter Default: a comma, or a semicolon if the names have more of these. */
export async function* csvRecords(
  chunks: AsyncGenerator<string>,
  delimiter: string | undefined,
): AsyncGenerator<FileRecord> {
  const head = await headOf(chunks);
  const [names = ''] = head.trimStart().split(/[\r\n]/, 1);
  const separator = delimiter ?? separatorOf(names);
  // A file may have both ends of lines. Only old ones have no line feeds at all.
  const lineEnd = head.includes('\n') ? '\n' : '\r';
  /** What the parser skips, and what it does not get: each in the order of lines. */
  const [skipped, left]: [FileRecord[], FileRecord[]] = [[], []];
  /** The parser counts a carriage return inside a value as one more line. */
  let returns = 0;
  const passed = (texts: readonly string[]) => {
    if (lineEnd === '\n') returns += texts.join('').split('\r').length - 1;
  };
  const parser = parse({
    columns(names: readonly string[]) {
      passed(names);
      return readNames(names);
    },
    on_record(found: unknown): FileRecord {
      // The cast is safe: the parser makes it of the options `info` and `raw`.
      const { record, info, raw } = found as Parsed;
      const text = bare(raw);
      passed([text]);
      return { number: info.lines - returns, value: record, text };
    },
    // As Excel and Python read a quote inside a value that does not begin with one.
    relax_quotes: true,
    info: true,
    // Otherwise on_skip gets no text.
    raw: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    delimiter: separator,
    record_delimiter: lineEnd === '\n' ? ['\r\n', '\n'] : lineEnd,
    on_skip: (error, text) => {
      const shown = bare(text);
      passed([shown]);
      skipped.push({ number: Number(error?.lines ?? 0) - returns, problem: reasonOf(error), text: shown });
      return undefined;
    },
  });
  async function* all(): AsyncGenerator<string> {
    yield head.replace(BLANK_LINES, (blank) => blank.replace(/[^\r\n]/g, ''));
    yield* chunks;
  }
  const lineOfNames = head.slice(0, head.length - head.trimStart().length).split(lineEnd).length;
  const rows = boundedRows(all(), separator, lineEnd, (number, text, problem) => {
    // The next row would take its place.
    if (number === lineOfNames) throw new UsageError(`the line of names cannot be read: ${problem}`);
    left.push({ number, problem, text: bare(text) });
  });
  const source = Readable.from(rows);
  source.on('error', (error) => parser.destroy(error));
  for await (const record of source.pipe(parser) as AsyncIterable<FileRecord>) {
    yield* takeBefore(record.number, [skipped, left]);
    yield record;
  }
  yield* takeBefore(Number.POSITIVE_INFINITY, [skipped, left]);
}

/** The start of the file, with the whole line of names: a pipe may end a chunk anywhere. */
async function headOf(chunks: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (!LINE_END.test(head.trimStart()) && head.length < MOST_HEAD) {
    const { value, done } = await chunks.next();
    if (done) break;
    head += value;
  }
  return head;
}

/** A semicolon if there are more of these. What is in quotes does not count. */
function separatorOf(names: string): string {
  const bare = names.replace(/"[^"]*"/g, '');
  return bare.split(';').length > bare.split(',').length ? ';' : ',';
}

/** Throws a UsageError for two columns of one name: the values of one of them would be lost. */
function readNames(names: readonly string[]): string[] {
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`two columns are named "${twice}": rename one of them`);
  return [...names];
}

/** Takes the problems of earlier lines: the parser reads ahead, and what bounds the rows still more. */
function takeBefore(line: number, lists: readonly FileRecord[][]): FileRecord[] {
  const taken: FileRecord[] = [];
  // Not all at once: the rest of a long list would be moved for each record.
  for (const problems of lists)
    while ((problems[0]?.number ?? line) < line) taken.push(...problems.splice(0, 1));
  return taken.sort((one, other) => one.number - other.number);
}

/** Without the ends of its line, and of empty ones before it. */
function bare(text = ''): string {
  const isEnd = (at: number) => text[at] === '\n' || text[at] === '\r';
  let [from, to] = [0, text.length];
  while (from < to && isEnd(from)) from += 1;
  while (to > from && isEnd(to - 1)) to -= 1;
  return text.slice(from, to);
}

function reasonOf(error: CsvError | undefined): string {
  const reason = REASONS.find(([code]) => code === error?.code)?.[1];
  return reason ?? error?.message ?? 'it cannot be read';
}
