import { type BrowserResults, browserResults } from './browser/browser-section.ts';
import { cells, TITLE_RULE, TITLES, tableRow } from './figures.ts';
import type { Measurement } from './measurements/measurement.ts';
import { packageVersion } from './package-version.ts';
import type { Plot } from './plots/plot.ts';
import type { Row } from './row.ts';
import type { Subject } from './subjects/subject.ts';

export interface Results {
  readonly rows: readonly Row[];
  readonly browser: BrowserResults;
  readonly plots: readonly Plot[];
  readonly measurements: readonly Measurement[];
  readonly machine: readonly (readonly [string, string])[];
  readonly conditions: readonly string[];
  readonly date: Date;
}

/** benchmarks/results.md: the figures, and all that one has to know to make or doubt them. */
export function resultsPage({
  rows,
  browser,
  plots,
  measurements,
  machine,
  conditions,
  date,
}: Results): string {
  return [
    '# Results',
    '',
    `Written by \`npm run bench\` on ${date.toISOString().slice(0, 10)}; not to be edited. Ratios hold from machine to`,
    'machine, absolute figures do not; each ratio is made within one round. A demand that is missed stands here as missed.',
    '',
    tableRow(TITLES),
    tableRow(TITLE_RULE),
    ...rows.map((row) => tableRow(cells(row))),
    '',
    ...plots.flatMap(({ name, description }) => [`![${description}](plots/${name}.svg)`, '']),
    '## How',
    '',
    ...conditions.map((condition) => `- ${condition}`),
    ...measurements.map(({ name, method }) => `- \`${name}\`: ${method}`),
    '',
    '## What was measured',
    '',
    ...subjects(measurements).map(describeSubject),
    '',
    ...browserResults(browser),
    '## On what',
    '',
    ...machine.map(([name, value]) => `- ${name}: ${value}`),
    '',
  ].join('\n');
}

/** Each subject once, however many measurements it is in. */
function subjects(measurements: readonly Measurement[]): readonly Subject[] {
  return [...new Set(measurements.flatMap(({ subjects = [] }) => subjects))];
}

function describeSubject({ name, package: its, configuration }: Subject): string {
  const version = its === undefined ? '' : ` (${its} ${packageVersion(its)})`;
  return `- ${name}${version}: ${configuration}.`;
}
