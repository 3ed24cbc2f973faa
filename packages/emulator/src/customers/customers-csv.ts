import type { Customer } from '@sluice/protocol';
import { quote } from '../quote.ts';
import { type CsvProblem, type CsvReader, type CsvRecord, parseCsv } from './csv-records.ts';

/** The customers in a CSV text, and all problems in it. */
export interface CustomersCsv {
  /** Names of attributes, from the first line. */
  readonly columns: readonly string[];
  readonly customers: readonly Customer[];
  readonly problems: readonly CsvProblem[];
}

/**
 * Reads customers from CSV: the first line has the names of the attributes, each further line is a customer. An empty field is no
 * attribute.
 *
 * @param primaryKey The attribute that each customer must have. No two customers may have the same value of it.
 */
export async function parseCustomersCsv(csv: string, primaryKey: string): Promise<CustomersCsv> {
  const reader = new CustomersReader(primaryKey);
  await parseCsv(csv, reader);
  const { columns, customers, problems } = reader;
  if (columns === undefined) problems.push({ line: 1, message: 'the file is empty' });
  return { columns: columns ?? [], customers, problems: problems.sort((a, b) => a.line - b.line) };
}

class CustomersReader implements CsvReader {
  readonly customers: Customer[] = [];
  readonly problems: CsvProblem[] = [];
  columns: readonly string[] | undefined;
  readonly #primaryKey: string;
  /** The line of each value of the primary key. */
  readonly #lines = new Map<string, number>();
  #isUnclear = false;

  constructor(primaryKey: string) {
    this.#primaryKey = primaryKey;
  }

  take(record: CsvRecord): void {
    if (this.columns === undefined) this.#takeHeader(record.fields);
    else if (!this.#isUnclear) this.#takeRow(this.columns, record);
  }

  refuse(problem: CsvProblem): void {
    this.problems.push(problem);
    if (problem.line === 1) this.#isUnclear = true;
  }

  #takeHeader(fields: readonly string[]): void {
    this.columns = fields.map((name) => name.trim());
    for (const message of headerProblems(this.columns, this.#primaryKey)) this.refuse({ line: 1, message });
  }

  #takeRow(columns: readonly string[], { fields, line }: CsvRecord): void {
    const customer = toCustomer(columns, fields);
    const value = customer[this.#primaryKey];
    const message = this.#rowProblem(columns, fields, value);
    if (message !== undefined) this.refuse({ line, message });
    else this.#lines.set(String(value), line);
    this.customers.push(customer);
  }

  #rowProblem(columns: readonly string[], fields: readonly string[], value: unknown): string | undefined {
    if (fields.length !== columns.length) {
      return `the number of fields must be that of the first line, ${columns.length}; it is ${fields.length}`;
    }
    const key = quote(this.#primaryKey);
    if (typeof value !== 'string') return `${key} is empty: it is the primary key`;
    const first = this.#lines.get(value);
    return first === undefined ? undefined : `${key} is ${quote(value)}, as in line ${first}`;
  }
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

function toCustomer(columns: readonly string[], fields: readonly string[]): Customer {
  const pairs = columns.map((name, index) => [name, fields[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}
