import { demandTable } from '../figures.ts';
import type { Measurement } from '../measurements/measurement.ts';
import { packageVersion } from '../package-version.ts';
import type { Row } from '../row.ts';
import { SUBJECTS } from './subjects.ts';
import { mainThreadTable } from './tables.ts';

/** Results of the measurements in a browser. Without a browser there are no rows. */
export interface BrowserResults {
  readonly rows: readonly Row[];
  readonly measurements: readonly Measurement[];
}

/** The browser's part of benchmarks/results.md, without the survival tables. */
export function browserResults({ rows, measurements }: BrowserResults): readonly string[] {
  if (rows.length === 0) return [];
  return [
    ...mainThreadTable(rows),
    '',
    ...demandTable(rows),
    '',
    ...measurements.map(({ name, method }) => `- \`${name}\`: ${method}`),
    ...SUBJECTS.map(
      ({ name, package: its, configuration }) =>
        `- ${name}${its === undefined ? '' : ` (${its} ${packageVersion(its)})`}: ${configuration}.`,
    ),
    '',
  ];
}
