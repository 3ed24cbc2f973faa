import { cells, TITLES } from './figures.ts';
import type { Measurement } from './measurements/measurement.ts';
import type { Row } from './row.ts';

export interface Results {
  readonly rows: readonly Row[];
  readonly measurements: readonly Measurement[];
  readonly machine: readonly (readonly [string, string])[];
  readonly conditions: readonly string[];
  readonly date: Date;
}

/** benchmarks/results.md: the figures, and all that one has to know to make or doubt them. */
export function resultsPage({ rows, measurements, machine, conditions, date }: Results): string {
  return [
    '# Results',
    '',
    `Written by \`npm run bench\` on ${date.toISOString().slice(0, 10)}; not to be edited. Ratios hold from machine to`,
    'machine, absolute figures do not; each ratio is made within one round. A demand that is missed stands here as missed.',
    '',
    tableRow(TITLES),
    tableRow(['---', '--:', '--:', '---', '--:', '--:', '---', '---']),
    ...rows.map((row) => tableRow(cells(row))),
    '',
    '## How',
    '',
    ...conditions.map((condition) => `- ${condition}`),
    ...measurements.map(({ name, method }) => `- \`${name}\`: ${method}`),
    '',
    '## On what',
    '',
    ...machine.map(([name, value]) => `- ${name}: ${value}`),
    '',
  ].join('\n');
}

function tableRow(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`;
}
