import { tableRow } from '../figures.ts';
import type { Row } from '../row.ts';
import type { Spread } from '../spread.ts';
import {
  BACKLOGS,
  BUSY,
  CALLED,
  DONE,
  HEAP,
  LONGEST,
  rowName,
  SIZE,
  survivedTitle,
  trackTitle,
  twiceTitle,
} from './row-names.ts';
import { SUBJECTS } from './subjects.ts';
import { ALL_COUNTS, ALL_ENDINGS, endingTitle, MOST_EVENTS, type SurvivalCase } from './survival-cases.ts';

const NOTHING = '–';

/** Survival by SDK and scenario, as a Markdown table. Empty if it was not measured. */
export function survivalTable(rows: readonly Row[]): readonly string[] {
  const titles = [`delivered of ${MOST_EVENTS.toLocaleString('en')}`, ...ALL_ENDINGS.map(endingTitle)];
  return table(titles, survivalLines(rows, ALL_ENDINGS));
}

/** Survival after a closed tab, by SDK and number of events, as a Markdown table. Empty if it was not measured. */
export function countsTable(rows: readonly Row[]): readonly string[] {
  const titles = ALL_COUNTS.map(({ events }) => `of ${events.toLocaleString('en')}`);
  const [ending = ''] = ALL_COUNTS.map(endingTitle);
  return table([`delivered ${ending}`, ...titles], survivalLines(rows, ALL_COUNTS));
}

function survivalLines(rows: readonly Row[], cases: readonly SurvivalCase[]): string[][] {
  const find = finder(rows);
  return SUBJECTS.map(({ name }) => [
    name,
    ...cases.map((one) =>
      arrived(find(rowName(survivedTitle(one), name)), find(rowName(twiceTitle(one), name))),
    ),
  ]);
}

/** The size of each SDK, and its cost on the main thread while offline, as a Markdown table. Empty if it was not measured. */
export function mainThreadTable(rows: readonly Row[]): readonly string[] {
  const find = finder(rows);
  const lines = SUBJECTS.map(({ name }) => [
    name,
    figure(find(rowName(SIZE, name))),
    figure(find(rowName(CALLED, name))),
    `${find(rowName(DONE, name))?.value === 0 ? '> ' : ''}${figure(find(rowName(BUSY, name)))}`,
    ...[LONGEST, HEAP, ...BACKLOGS.map(trackTitle)].map((title) => figure(find(rowName(title, name)))),
  ]);
  const titles = [
    ...['10,000 calls offline', 'gzip kB', 'made', 'main thread, ms', 'longest task, ms', 'heap, MB'],
    ...BACKLOGS.map((backlog) => `µs at ${backlog.toLocaleString('en')}`),
  ];
  return table(titles, lines);
}

type Find = (name: string) => Row | undefined;

function finder(rows: readonly Row[]): Find {
  const byName = new Map(rows.map((row) => [row.name, row]));
  return (name) => byName.get(name);
}

function table(titles: readonly string[], lines: readonly (readonly string[])[]): readonly string[] {
  const measured = lines.filter(([, ...cells]) => cells.some((cell) => cell !== NOTHING));
  if (measured.length === 0) return [];
  const rule = titles.map((_, column) => (column === 0 ? '---' : '--:'));
  return [titles, rule, ...measured].map(tableRow);
}

/** How many events arrived: `500`; `480 to 500` if runs differ; `500, 12 twice`; `350 in 60 s` if more still arrived then. */
export function arrived(survived: Row | undefined, twice: Row | undefined): string {
  if (survived === undefined) return NOTHING;
  const again = twice === undefined || twice.spread.max === 0 ? '' : `, ${range(twice.spread)} twice`;
  const [late = ''] = / in \d+ s$/.exec(survived.unit) ?? [];
  return `${range(survived.spread)}${again}${late}`;
}

function range({ min, max }: Spread): string {
  const ends = min === max ? [min] : [min, max];
  return ends.map((end) => end.toLocaleString('en')).join(' to ');
}

function figure(row: Row | undefined): string {
  if (row === undefined) return NOTHING;
  return row.value.toLocaleString('en', { maximumFractionDigits: Math.abs(row.value) < 100 ? 1 : 0 });
}
