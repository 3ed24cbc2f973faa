import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';

/** One row of the CSV: its cells by column name, as the unchanged strings. */
export type StrikeRow = Readonly<Record<string, string>>;

export const DATE_COLUMN = 'Flight Date';
export const OPERATOR_COLUMN = 'Aircraft Airline Operator';
export const AIRPORT_COLUMN = 'Airport Name';

/** Reads the reports of bird strikes, in the order of the file. */
export async function readBirdStrikes(): Promise<StrikeRow[]> {
  // The package exports only its code. The data is in a folder beside the code.
  const file = new URL('../data/birdstrikes.csv', import.meta.resolve('vega-datasets'));
  return parseBirdStrikes(await readFile(file, 'utf8'));
}

/** Throws if a row has more or fewer cells than there are columns, or if a column that the demo needs is missing. */
export function parseBirdStrikes(csv: string): StrikeRow[] {
  const rows: StrikeRow[] = parse(csv, { columns: true, bom: true });
  for (const column of [DATE_COLUMN, OPERATOR_COLUMN, AIRPORT_COLUMN]) {
    if (rows[0]?.[column] === undefined) throw new Error(`birdstrikes.csv has no column "${column}"`);
  }
  return rows;
}
