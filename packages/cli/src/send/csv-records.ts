import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { boundedRows } from './bounded-rows.ts';
import type { FileRecord } from './file-record.ts';

interface Parsed {
  readonly record: Record<string, string>;
  readonly info: Info;
}

const REASONS = [
  ['CSV_RECORD_INCONSISTENT_COLUMNS', 'it has another number of columns than the first line'],
  ['CSV_QUOTE_NOT_CLOSED', 'a quote is opened and never closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'something follows a closing quote: two quotes are one inside a value'],
  ['INVALID_OPENING_QUOTE', 'a quote is inside a value that does not begin with one'],
] as const;

/** CSV with a line of names. @param delimiter Default: a comma, or a semicolon if the names have more of these. */
export async function* csvRecords(
  chunks: AsyncGenerator<string>,
  delimiter: string | undefined,
): AsyncGenerator<FileRecord> {
  const { value: head = '' } = await chunks.next();
  const [names = ''] = head.split('\n', 1);
  const separator = delimiter ?? (names.split(';').length > names.split(',').length ? ';' : ',');
  const problems: FileRecord[] = [];
  const parser = parse({
    columns: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    delimiter: separator,
    on_skip: (error, text) => {
      problems.push({
        number: Number(error?.lines ?? 0),
        problem: reasonOf(error),
        text: String(text ?? ''),
      });
      return undefined;
    },
  });
  async function* all(): AsyncGenerator<string> {
    yield head;
    yield* chunks;
  }
  const rows = boundedRows(all(), separator, (number, text, problem) =>
    problems.push({ number, problem, text }),
  );
  const source = Readable.from(rows);
  source.on('error', (error) => parser.destroy(error));
  for await (const { record, info } of source.pipe(parser) as AsyncIterable<Parsed>) {
    yield* sorted(problems, info.lines);
    yield { number: info.lines, value: record };
  }
  yield* sorted(problems, Number.POSITIVE_INFINITY);
}

/** Takes the problems of earlier lines: the parser reads ahead. */
function sorted(problems: FileRecord[], before: number): FileRecord[] {
  const count = problems.filter(({ number }) => number < before).length;
  return problems.splice(0, count);
}

function reasonOf(error: CsvError | undefined): string {
  const reason = REASONS.find(([code]) => code === error?.code)?.[1];
  return reason ?? error?.message ?? 'it cannot be read';
}
