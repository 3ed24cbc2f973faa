import { browserReadme } from './browser/browser-section.ts';
import { cells, TITLE_RULE, TITLES, tableRow } from './figures.ts';
import type { Results } from './results-page.ts';

const BEGIN = '<!-- written by `npm run bench`: begin -->';
const END = '<!-- written by `npm run bench`: end -->';

/** What the README says of speed: the plots, and every figure of which something is demanded. */
export function readmeSection({ rows, browser, plots, machine, date }: Results): string {
  const demanded = rows.filter(({ demand }) => demand !== null);
  const on = ['processors', 'Node'].map((name) => machine.find(([one]) => one === name)?.[1] ?? 'unknown');
  return [
    `Measured on ${date.toISOString().slice(0, 10)}, ${on.join(', Node ')}, in one interleaved run. A demand that is missed stands here as`,
    'missed. [All figures](benchmarks/results.md), with every configuration.',
    '',
    ...plots.flatMap(({ name, description }) => [`![${description}](benchmarks/plots/${name}.svg)`, '']),
    tableRow(TITLES),
    tableRow(TITLE_RULE),
    ...demanded.map((row) => tableRow(cells(row))),
    ...browserReadme(browser),
  ].join('\n');
}

/** The text with another section between its markers. Throws where it has none. */
export function withSection(text: string, section: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the README has no "${BEGIN}" with "${END}" behind it`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${text.slice(end)}`;
}
