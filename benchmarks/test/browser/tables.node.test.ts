import { expect, it } from 'vitest';
import { browserResults } from '../../src/browser/browser-section.ts';
import { BUSY, DONE, rowName, SIZE, survivedTitle, twiceTitle, unitOf } from '../../src/browser/row-names.ts';
import { CASES, caseTitle } from '../../src/browser/survival-cases.ts';
import { survivalSection } from '../../src/browser/survival-section.ts';
import { countsTable, mainThreadTable, survivalTable } from '../../src/browser/tables.ts';
import { renderSvg } from '../../src/plots/plot.ts';
import { survivalPlot } from '../../src/plots/survival-plot.ts';
import { makeRow } from '../../src/row.ts';

const demand = { of: 'every value', bound: 'at least', limit: 100 } as const;
const survived = CASES.flatMap((one) => [
  makeRow({
    ...{ name: rowName(survivedTitle(one), 'Sluice'), unit: unitOf(one.events) },
    ...{ values: [one.events, one.events, one.events], demand },
  }),
  makeRow({ name: rowName(twiceTitle(one), 'Sluice'), unit: unitOf(one.events), values: [0, 0, 0] }),
  makeRow({
    ...{ name: rowName(survivedTitle(one), 'Mixpanel'), unit: unitOf(one.events) },
    values: [35, 28, 31],
  }),
  makeRow({ name: rowName(twiceTitle(one), 'Mixpanel'), unit: unitOf(one.events), values: [0, 7, 7] }),
  makeRow({
    ...{ name: rowName(survivedTitle(one), 'Amplitude'), unit: unitOf(one.events, 60_000) },
    values: [50, 50, 50],
  }),
]);
const rows = [
  makeRow({ name: rowName(SIZE, 'Sluice'), unit: 'kB', values: [11.94] }),
  makeRow({ name: rowName(DONE, 'Sluice'), unit: '', values: [0] }),
  makeRow({ name: rowName(BUSY, 'Sluice'), unit: 'ms', values: [140], demand }),
];

it('lets the browser die 2 and 10 s after the last call, and tracks from 300 to 1,000 events, each case once', () => {
  const titles = CASES.map(caseTitle);
  expect(titles).toContain('after SIGKILL, 2 s, of 1,000');
  expect(titles).toContain('after SIGKILL, 10 s, of 1,000');
  for (const events of ['300', '500', '1,000']) {
    expect(titles).toContain(`in a new tab, 10 s, of ${events}`);
  }
  expect(new Set(titles).size).toBe(titles.length);
});

it('shows what survived, from the least to the most of the runs, and how often that came twice', () => {
  const mixpanel = '28 to 35, 0 to 7 twice';
  expect(survivalTable(survived)).toEqual([
    '| delivered of 1,000 | after reload, 10 s | in a new tab, 10 s | after SIGKILL, 2 s | after SIGKILL, 10 s | two tabs, half each, 10 s |',
    '| --- | --: | --: | --: | --: | --: |',
    `| Sluice |${' 1,000 |'.repeat(5)}`,
    `| Amplitude |${' 50 in 60 s |'.repeat(5)}`,
    `| Mixpanel |${` ${mixpanel} |`.repeat(5)}`,
  ]);
});

it('shows what survives a closed tab, by how much there was', () => {
  expect(countsTable(survived).slice(0, 3)).toEqual([
    '| delivered in a new tab, 10 s | of 300 | of 500 | of 1,000 |',
    '| --- | --: | --: | --: |',
    '| Sluice | 300 | 500 | 1,000 |',
  ]);
});

it('shows with what survives when it was measured, and how busy the machine was', () => {
  const machine = { processors: '2 × slow', load: [0.5, 1, 2], others: [] };
  const measurement = { name: 'survival', method: 'kill it', run: async () => [] };
  const section = survivalSection({ rows: survived, machine, measurement, date: new Date('2026-11-21') });
  expect(section).toContain('2026-11-21, 2 × slow, load at the start 0.50, 1.00, 2.00');
  expect(section).toContain('| Sluice | 300 | 500 |');
  expect(section).toContain('`survival`: kill it');
});

it('shows the main thread of those that were measured, what each weighs, and that one was not done', () => {
  expect(mainThreadTable(rows).at(-1)).toBe('| Sluice | 11.9 | – | > 140 | – | – | – | – | – | – |');
});

it('shows nothing where there was no browser', () => {
  const none = { rows: [], measurements: [] };
  expect([...browserResults(none), ...survivalTable([]), ...countsTable([])]).toEqual([]);
  expect(survivalPlot([])).toBeUndefined();
});

it('draws what survived', async () => {
  const plot = survivalPlot(survived);
  expect(plot?.description).toContain('Mixpanel after SIGKILL, 2 s 28 to 35, 0 to 7 twice');
  expect(plot === undefined ? '' : await renderSvg(plot)).toContain('28 to 35, 0 to 7 twice');
});
