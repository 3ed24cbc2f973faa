import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import type { FileRecord } from './file-record.ts';

interface Parsed {
  readonly record: Record<string, string>;
  readonly info: Info;
}

const MOST_RECORD_BYTES = 1024 * 1024;

/** CSV with a line of names. @param delimiter Default: a comma, or a semicolon if the names have more of these. */
export async function* csvRecords(
  chunks: AsyncGenerator<string>,
  delimiter: string | undefined,
): AsyncGenerator<FileRecord> {
  const { value: head = '' } = await chunks.next();
  const [names = ''] = head.split('\n', 1);
  const common = names.split(';').length > names.split(',').length ? ';' : ',';
  const problems: FileRecord[] = [];
  const parser = parse({
    columns: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    delimiter: delimiter ?? common,
    max_record_size: MOST_RECORD_BYTES,
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
  const source = Readable.from(all());
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
  if (error?.code === 'CSV_RECORD_INCONSISTENT_COLUMNS')
    return 'it has another number of columns than the first line';
  if (error?.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened and never closed';
  return error?.message ?? 'it cannot be read';
}
