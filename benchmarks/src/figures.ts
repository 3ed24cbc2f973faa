import type { Row } from './row.ts';
import type { Spread } from './spread.ts';

/** The titles of the results table. */
export const TITLES: readonly string[] = [
  'what',
  'events',
  'median',
  'min to max',
  'unit',
  'ratio',
  'min to max',
  'to',
  'demand',
  '',
];

/** How the columns of that table are aligned, in Markdown. */
export const TITLE_RULE: readonly string[] = [
  '---',
  '--:',
  '--:',
  '--:',
  '---',
  '--:',
  '--:',
  '---',
  '---',
  '---',
];

/** A row of a Markdown table. */
export function tableRow(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`;
}

/** The rows with a demand, as a Markdown table. */
export function demandTable(rows: readonly Row[]): readonly string[] {
  const demanded = rows.filter(({ demand }) => demand !== null);
  return [TITLES, TITLE_RULE, ...demanded.map(cells)].map(tableRow);
}

/** A row as texts. */
export function cells({
  name,
  events,
  value,
  spread,
  unit,
  ratio,
  ratioSpread,
  against,
  demand,
  pass,
}: Row): string[] {
  return [
    name,
    events ?? '',
    figure(value),
    range(spread, figure),
    unit,
    ratio === null ? '' : ratio.toFixed(2),
    ratioSpread === null ? '' : range(ratioSpread, (number) => number.toFixed(2)),
    against ?? '',
    demand ?? '',
    pass === null ? '' : pass ? 'met' : 'missed',
  ];
}

/** No decimals from 100 on, otherwise one at most. */
function figure(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });
}

function range({ min, max }: Spread, text: (value: number) => string): string {
  return `${text(min)} to ${text(max)}`;
}
