import { setImmediate } from 'node:timers/promises';
import { type CsvError, type Info, parse } from 'csv-parse';

/** A record of a CSV text. */
export interface CsvRecord {
  readonly fields: readonly string[];
  /** The line in which it begins, counted from 1. */
  readonly line: number;
}

/** A problem in a CSV text; `line` counts from 1. */
export interface CsvProblem {
  readonly line: number;
  readonly message: string;
}

/** Receives the records and problems of a CSV text, in order. */
export interface CsvReader {
  take(record: CsvRecord): void;
  refuse(problem: CsvProblem): void;
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: Info;
}

// A text of many megabytes is parsed in slices. Between slices, the emulator answers requests.
const SLICE_CHARACTERS = 8 * 1024;
// A file with more problems than these is no CSV. To read on would take minutes.
const MOST_PROBLEMS = 1_000;

/**
 * Parses CSV: fields are separated by commas, semicolons or tabs, and quoted as in RFC 4180. Line breaks in quotes become `\n`. Ends
 * after 1,000 problems.
 */
export async function parseCsv(csv: string, reader: CsvReader): Promise<void> {
  let lastLine = 0;
  let problems = 0;
  const refuse = (error: CsvError | undefined): undefined => {
    problems += 1;
    if (problems > MOST_PROBLEMS) return;
    const problem = toProblem(error, lastLine);
    lastLine = Math.max(lastLine, problem.line);
    reader.refuse(problem);
  };
  const parser = parse({
    bom: true,
    delimiter: findDelimiter(csv),
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    skip_records_with_error: true,
    record_delimiter: '\n',
    max_record_size: 1024 * 1024,
    on_skip: refuse,
  });
  parser.on('data', ({ record, info }: ParsedRecord) => {
    lastLine = Math.max(lastLine, info.lines);
    reader.take({ fields: record, line: info.lines - countBreaks(record) });
  });
  const ended = new Promise<void>((resolve) => {
    parser.on('close', resolve); // after its end, and when it was destroyed
    parser.on('error', (error: CsvError) => {
      refuse(error);
      resolve();
    });
  });
  for (let at = 0; at < csv.length && !parser.destroyed && problems <= MOST_PROBLEMS; ) {
    let end = at + SLICE_CHARACTERS;
    if (csv[end - 1] === '\r') end += 1; // keeps \r\n in one slice
    parser.write(csv.slice(at, end).replace(/\r\n?/g, '\n'));
    at = end;
    await setImmediate();
  }
  if (problems > MOST_PROBLEMS) parser.destroy();
  else parser.end();
  await ended;
}

/** Returns the delimiter that occurs most often in the first line, outside of quotes. */
function findDelimiter(csv: string): string {
  const [line = ''] = /[^\r\n]+/.exec(csv) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function toProblem(error: CsvError | undefined, lastLine: number): CsvProblem {
  if (error?.code === 'CSV_QUOTE_NOT_CLOSED') {
    return { line: lastLine + 1, message: 'a quote is opened in this line or below, and never closed' };
  }
  const line = typeof error?.lines === 'number' ? error.lines : lastLine + 1;
  if (error?.code === 'INVALID_OPENING_QUOTE') {
    return {
      line,
      message: 'a quote stands inside a field: put the whole field in quotes, and double each quote in it',
    };
  }
  if (error?.code === 'CSV_INVALID_CLOSING_QUOTE') {
    return { line, message: 'something follows a closing quote: double each quote inside of a field' };
  }
  return { line, message: error?.message ?? 'it cannot be read' };
}

function countBreaks(record: readonly string[]): number {
  return record.reduce((sum, field) => sum + field.split('\n').length - 1, 0);
}
