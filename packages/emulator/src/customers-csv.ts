import { setImmediate } from 'node:timers/promises';
import type { Customer } from '@sluice/protocol';
import { type CsvError, type Info, parse } from 'csv-parse';
import { quote } from './quote.ts';

/** Something in a CSV text that cannot be imported; `line` counts from 1. */
interface CsvProblem {
  readonly line: number;
  readonly message: string;
}

/** The customers that a CSV text holds, or all that is wrong with it. */
export interface CustomersCsv {
  /** Names of attributes, from the first line. */
  readonly columns: readonly string[];
  readonly customers: readonly Customer[];
  readonly problems: readonly CsvProblem[];
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: Info;
}

// A text of many megabytes is parsed in slices, between which the emulator answers requests.
const SLICE_CHARACTERS = 128 * 1024;

/**
 * Reads customers from CSV: names of attributes in the first line, then one customer a line; separated by commas,
 * semicolons or tabs, quoted as RFC 4180 says. An empty field is no attribute. Line breaks in quotes become `\n`.
 *
 * @param primaryKey The attribute that each must have, and no two the same.
 */
export async function parseCustomersCsv(csv: string, primaryKey: string): Promise<CustomersCsv> {
  const text = csv.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const { records, problems } = await parseRecords(text);
  const [header, ...rows] = records;
  if (header === undefined) {
    return { columns: [], customers: [], problems: [...problems, { line: 1, message: 'the file is empty' }] };
  }
  const columns = header.record.map((name) => name.trim());
  problems.push(...headerProblems(columns, primaryKey).map((message) => ({ line: 1, message })));
  const customers: Customer[] = [];
  const lines = new Map<string, number>();
  if (problems.every(({ line }) => line !== 1)) {
    for (const { record, info } of rows) {
      const line = info.lines - countBreaks(record);
      const customer = toCustomer(columns, record);
      const message = rowProblem(columns, record, customer[primaryKey], lines, primaryKey);
      if (message !== undefined) problems.push({ line, message });
      lines.set(String(customer[primaryKey]), line);
      customers.push(customer);
    }
  }
  return { columns, customers, problems: problems.sort((a, b) => a.line - b.line) };
}

async function parseRecords(text: string): Promise<{ records: ParsedRecord[]; problems: CsvProblem[] }> {
  const records: ParsedRecord[] = [];
  const problems: CsvProblem[] = [];
  const note = (error: CsvError | undefined): undefined => {
    const lastLine = Math.max(records.at(-1)?.info.lines ?? 0, problems.at(-1)?.line ?? 0);
    problems.push(toProblem(error, lastLine));
  };
  const parser = parse({
    delimiter: findDelimiter(text),
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    skip_records_with_error: true,
    record_delimiter: '\n',
    max_record_size: 1024 * 1024,
    on_skip: note,
  });
  parser.on('data', (record: ParsedRecord) => records.push(record));
  const ended = new Promise<void>((resolve) => {
    parser.on('end', resolve);
    parser.on('error', (error: CsvError) => {
      note(error);
      resolve();
    });
  });
  for (let at = 0; at < text.length && !parser.destroyed; at += SLICE_CHARACTERS) {
    parser.write(text.slice(at, at + SLICE_CHARACTERS));
    await setImmediate();
  }
  parser.end();
  await ended;
  return { records, problems };
}

/** Whichever of them the first line has most of, outside of quotes. */
function findDelimiter(text: string): string {
  const line = text.slice(0, Math.max(0, text.indexOf('\n'))) || text;
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

function headerProblems(columns: readonly string[], primaryKey: string): string[] {
  const problems: string[] = [];
  if (columns.includes('')) problems.push('a column has no name: each names an attribute');
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`two columns have the name ${quote(twice)}`);
  if (!columns.includes(primaryKey)) {
    problems.push(`there is no column ${quote(primaryKey)}, which is the primary key`);
  }
  return problems;
}

function rowProblem(
  columns: readonly string[],
  record: readonly string[],
  value: unknown,
  lines: ReadonlyMap<string, number>,
  primaryKey: string,
): string | undefined {
  if (record.length !== columns.length) {
    return `the number of fields must be that of the first line, ${columns.length}; it is ${record.length}`;
  }
  if (typeof value !== 'string') return `${quote(primaryKey)} is empty: it is the primary key`;
  const first = lines.get(value);
  return first === undefined ? undefined : `${quote(primaryKey)} is ${quote(value)}, as in line ${first}`;
}

function toCustomer(columns: readonly string[], record: readonly string[]): Customer {
  const pairs = columns.map((name, index) => [name, record[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function countBreaks(record: readonly string[]): number {
  return record.reduce((sum, field) => sum + field.split('\n').length - 1, 0);
}
