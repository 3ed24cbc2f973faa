import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Customer } from '@sluice/protocol';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import type { CustomerImport } from '../admin/audience-contract.ts';
import { quote } from '../messages.ts';

type Problem = CustomerImport['problems'][number];

/** What a CSV text has. */
type CustomersCsv = Omit<CustomerImport, 'added' | 'replaced'>;

const SAMPLE = 5;
const PROBLEMS_TOLD = 100;
// The export puts ' before a text that a spreadsheet would take for a formula, such as +43 1 234, and the import removes it. So '-5
// gets one, too.
const FORMULA = /^'*[-=+@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;
// A text of many megabytes is parsed in slices. Between slices, the emulator answers requests.
const SLICE_CHARACTERS = 8 * 1024;

/**
 * Reads customers from CSV: the first line has the names of the attributes, each further line is a customer. Fields are separated
 * by commas, semicolons or tabs, and quoted as in RFC 4180. Line breaks in quotes become `\n`. An empty field is no attribute. Ends
 * at the first line that is no CSV.
 *
 * @param primaryKey The attribute that each customer must have. No two customers may have the same value of it.
 * @param onCustomer Called with each right customer, and its value of the primary key.
 */
export async function parseCustomersCsv(
  csv: string,
  primaryKey: string,
  onCustomer: (value: string, customer: Customer) => void,
): Promise<CustomersCsv> {
  const text = csv.replace(/\r\n?/g, '\n');
  const sample: Customer[] = [];
  const problems: Problem[] = [];
  let problemCount = 0;
  const report = (problem: Problem): void => {
    problemCount += 1;
    if (problemCount <= PROBLEMS_TOLD) problems.push(problem); // a file may have millions
  };
  let count = 0;
  let columns: readonly string[] | undefined;
  /** The line of each value of the primary key. */
  const linesOf = new Map<unknown, number>();
  let nextLine = 1;
  const take = (record: readonly string[], { lines }: InfoRecord): null => {
    const fields = record.map((field) =>
      field.startsWith("'") && FORMULA.test(field) ? field.slice(1) : field,
    );
    const line = lines - fields.reduce((sum, field) => sum + field.split('\n').length - 1, 0);
    nextLine = lines + 1;
    if (columns === undefined) {
      columns = fields.map((name) => name.trim());
      for (const message of headerProblems(columns, primaryKey)) report({ line: 1, message });
    } else if (problems[0]?.line !== 1) {
      // A short line must not cost as much as a header with very many columns.
      const pairs = columns
        .slice(0, fields.length)
        .map((name, index) => [name, fields[index] ?? ''] as const);
      const customer: Customer = Object.fromEntries(pairs.filter(([, value]) => value !== ''));
      count += 1;
      if (count <= SAMPLE) sample.push(customer);
      const value = customer[primaryKey];
      const first = linesOf.get(value);
      if (fields.length !== columns.length) {
        const rule = `the number of fields must be that of the first line, ${columns.length}`;
        report({ line, message: `${rule}; it is ${fields.length}` });
      } else if (typeof value !== 'string') {
        report({ line, message: `${quote(primaryKey)} is empty: it is the primary key` });
      } else if (first !== undefined) {
        report({ line, message: `${quote(primaryKey)} is ${quote(value)}, as in line ${first}` });
      } else {
        linesOf.set(value, line);
        onCustomer(value, customer);
      }
    }
    return null; // so the parser does not keep it
  };
  const parser = parse({
    bom: true,
    delimiter: findDelimiter(text),
    skip_empty_lines: true,
    relax_column_count: true,
    record_delimiter: '\n',
    max_record_size: 1024 * 1024,
    on_record: take,
  });
  try {
    await pipeline(slicesOf(text), parser.resume());
    if (columns === undefined) report({ line: 1, message: 'the file is empty' });
  } catch (error) {
    report(toProblem(error, nextLine));
  }
  return { columns: columns ?? [], lines: count, sample, problems, problemCount };
}

async function* slicesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
    yield text.slice(at, at + SLICE_CHARACTERS);
    await setImmediate();
  }
}

/** Writes customers as CSV, in the format of the import. A value that is no text or number is written as JSON. */
export function writeCustomersCsv(customers: readonly Customer[]): string {
  const columns = [...new Set(customers.flatMap((customer) => Object.keys(customer)))];
  const rows = customers.map((customer) =>
    columns.map((name) => {
      const value = Object.hasOwn(customer, name) ? customer[name] : '';
      if (typeof value === 'string') return escapeFormula(value);
      return typeof value === 'number' ? value : JSON.stringify(value);
    }),
  );
  return stringify([columns.map(escapeFormula), ...rows]);
}

function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Returns the delimiter that occurs most often in the first line, outside of quotes. */
function findDelimiter(csv: string): string {
  const [line = ''] = /[^\r\n]+/.exec(csv) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function headerProblems(columns: readonly string[], primaryKey: string): string[] {
  const problems: string[] = [];
  if (columns.includes('')) problems.push('a column has no name: each names an attribute');
  const known = new Set<string>();
  const twice = columns.find((name) => name !== '' && known.size === known.add(name).size);
  if (twice !== undefined) problems.push(`two columns have the name ${quote(twice)}`);
  if (!columns.includes(primaryKey)) {
    problems.push(`there is no column ${quote(primaryKey)}, which is the primary key`);
  }
  return problems;
}

const WORDS: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'a quote stands inside a field: put the whole field in quotes, and double each quote in it',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote: double each quote inside of a field',
};

function toProblem(error: unknown, nextLine: number): Problem {
  if (!(error instanceof CsvError)) throw error;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return { line: nextLine, message: 'a quote is opened in this line or below, and never closed' };
  }
  const line = typeof error.lines === 'number' ? error.lines : nextLine;
  return { line, message: WORDS[error.code] ?? error.message };
}
