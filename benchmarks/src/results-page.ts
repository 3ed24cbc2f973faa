import { type BrowserResults, browserResults } from './browser/browser-section.ts';
import { cells, TITLE_RULE, TITLES, tableRow } from './figures.ts';
import { type Machine, machineLine } from './machine.ts';
import type { Measurement } from './measurements/measurement.ts';
import { packageVersion } from './package-version.ts';
import { type Plot, plotImage } from './plots/plot.ts';
import type { Row } from './row.ts';
import { SURVIVAL_SECTION } from './sections.ts';
import type { Subject } from './subjects/subject.ts';

export interface Results {
  readonly rows: readonly Row[];
  readonly browser: BrowserResults;
  readonly plots: readonly Plot[];
  readonly measurements: readonly Measurement[];
  readonly machine: Machine;
  readonly conditions: readonly string[];
  readonly date: Date;
}

/**
 * benchmarks/results.md: the figures, and all that a reader needs to repeat or to doubt them.
 *
 * @param survival The survival section, which a separate run writes.
 */
export function resultsPage(
  { rows, browser, plots, measurements, machine, conditions, date }: Results,
  survival: string,
): string {
  return [
    '# Results',
    '',
    'Written by `npm run bench`; not to be edited. Ratios hold from machine to machine, absolute figures do not. Each ratio is',
    'made within one round. Where Sluice is compared with something else, both sides have as many events and as much warm-up',
    '("20,000 after 2,000"). A demand that is missed stands here as missed.',
    '',
    `Measured on ${machineLine(machine, date)}.`,
    '',
    tableRow(TITLES),
    tableRow(TITLE_RULE),
    ...rows.map((row) => tableRow(cells(row))),
    '',
    ...plots.flatMap((plot) => [plotImage(plot), '']),
    '## How',
    '',
    ...conditions.map((condition) => `- ${condition}`),
    ...measurements.map(({ name, method }) => `- \`${name}\`: ${method}`),
    '',
    '## What was measured',
    '',
    ...subjects(measurements).map(describeSubject),
    '',
    '## In a browser',
    '',
    ...browserResults(browser),
    '### What survives',
    '',
    SURVIVAL_SECTION.around(survival),
    '',
    '## On what',
    '',
    `- processors: ${machine.processors}`,
    ...machine.others.map(([name, value]) => `- ${name}: ${value}`),
    '',
  ].join('\n');
}

/** Each subject once, even if several measurements have it. */
function subjects(measurements: readonly Measurement[]): readonly Subject[] {
  return [...new Set(measurements.flatMap(({ subjects = [] }) => subjects))];
}

function describeSubject({ name, package: its, configuration }: Subject): string {
  const version = its === undefined ? '' : ` (${its} ${packageVersion(its)})`;
  return `- ${name}${version}: ${configuration}.`;
}
