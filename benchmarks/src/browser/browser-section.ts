import { cells, TITLE_RULE, TITLES, tableRow } from '../figures.ts';
import type { Measurement } from '../measurements/measurement.ts';
import { packageVersion } from '../package-version.ts';
import type { Plot } from '../plots/plot.ts';
import type { Row } from '../row.ts';
import { survivedTitle, twiceTitle } from './row-names.ts';
import { SCENARIOS } from './scenarios.ts';
import { SUBJECTS } from './subjects.ts';
import { mainThreadTable, survivalTable } from './tables.ts';

/** What was measured in a browser. Without one there are no rows. */
export interface BrowserResults {
  readonly rows: readonly Row[];
  readonly measurements: readonly Measurement[];
  readonly plots: readonly Plot[];
}

/** Its part of benchmarks/results.md. */
export function browserResults({ rows, measurements, plots }: BrowserResults): readonly string[] {
  if (rows.length === 0) return [];
  return [
    '## In a browser',
    '',
    ...survivalTable(rows),
    '',
    ...plots.flatMap(({ name, description }) => [`![${description}](plots/${name}.svg)`, '']),
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

/** Its part of the README's section: what survives, and what else is demanded. */
export function browserReadme({ rows }: BrowserResults): readonly string[] {
  if (rows.length === 0) return [];
  const shown = SCENARIOS.flatMap((scenario) => [survivedTitle(scenario), twiceTitle(scenario)]);
  return [
    '',
    'In Chromium, of 1,000 events tracked while the service is down, once it is up again; each SDK in its best setting:',
    '',
    ...survivalTable(rows),
    '',
    ...demandTable(rows.filter(({ name }) => !shown.some((title) => name.startsWith(title)))),
  ];
}

function demandTable(rows: readonly Row[]): readonly string[] {
  const demanded = rows.filter(({ demand }) => demand !== null);
  return [tableRow(TITLES), tableRow(TITLE_RULE), ...demanded.map((row) => tableRow(cells(row)))];
}
