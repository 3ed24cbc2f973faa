import { tableRow } from '../figures.ts';
import type { Row } from '../row.ts';
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
import { SCENARIOS } from './scenarios.ts';
import { SUBJECTS } from './subjects.ts';

const NOTHING = '–';

/** What survives, by SDK and scenario, and what each weighs: a table in Markdown. Nothing where it was not measured. */
export function survivalTable(rows: readonly Row[]): readonly string[] {
  const find = finder(rows);
  const lines = SUBJECTS.map(({ name }) => [
    name,
    ...SCENARIOS.map((scenario) =>
      arrived(find(rowName(survivedTitle(scenario), name)), find(rowName(twiceTitle(scenario), name))),
    ),
    figure(find(rowName(SIZE, name))),
  ]);
  return table(['delivered of 1,000', ...SCENARIOS.map(({ title }) => title), 'gzip kB'], lines);
}

/** What tracking offline costs the main thread, by SDK: a table in Markdown. Nothing where it was not measured. */
export function mainThreadTable(rows: readonly Row[]): readonly string[] {
  const find = finder(rows);
  const lines = SUBJECTS.map(({ name }) => [
    name,
    figure(find(rowName(CALLED, name))),
    `${find(rowName(DONE, name))?.value === 0 ? '> ' : ''}${figure(find(rowName(BUSY, name)))}`,
    ...[LONGEST, HEAP, ...BACKLOGS.map(trackTitle)].map((title) => figure(find(rowName(title, name)))),
  ]);
  const titles = [
    ...['10,000 calls offline', 'made', 'main thread, ms', 'longest task, ms', 'heap, MB'],
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

/** How much arrived: `500`, `500, 12 twice`, or `350 in 60 s` where more was on its way then. */
export function arrived(survived: Row | undefined, twice: Row | undefined): string {
  if (survived === undefined) return NOTHING;
  const again = twice === undefined || twice.value === 0 ? '' : `, ${twice.value.toLocaleString('en')} twice`;
  const [late = ''] = / in \d+ s$/.exec(survived.unit) ?? [];
  return `${survived.value.toLocaleString('en')}${again}${late}`;
}

function figure(row: Row | undefined): string {
  if (row === undefined) return NOTHING;
  return row.value.toLocaleString('en', { maximumFractionDigits: Math.abs(row.value) < 100 ? 1 : 0 });
}
