import { expect, it } from 'vitest';
import { browserReadme, browserResults } from '../../src/browser/browser-section.ts';
import { BUSY, DONE, rowName, SIZE, survivedTitle, twiceTitle, unitOf } from '../../src/browser/row-names.ts';
import { SCENARIOS } from '../../src/browser/scenarios.ts';
import { mainThreadTable, survivalTable } from '../../src/browser/tables.ts';
import { renderSvg } from '../../src/plots/plot.ts';
import { browserPlotsOf } from '../../src/plots/plots.ts';
import { makeRow } from '../../src/row.ts';

const demand = { of: 'value', bound: 'at least', limit: 1000 } as const;
const rows = [
  ...SCENARIOS.flatMap((scenario) => [
    makeRow({ name: rowName(survivedTitle(scenario), 'Sluice'), unit: 'of 1,000', values: [1000], demand }),
    makeRow({ name: rowName(twiceTitle(scenario), 'Sluice'), unit: 'of 1,000', values: [0] }),
    makeRow({ name: rowName(survivedTitle(scenario), 'Mixpanel'), unit: 'of 1,000', values: [28] }),
    makeRow({ name: rowName(twiceTitle(scenario), 'Mixpanel'), unit: 'of 1,000', values: [7] }),
    makeRow({
      name: rowName(survivedTitle(scenario), 'Amplitude'),
      unit: unitOf(1000, 60_000),
      values: [350],
    }),
  ]),
  makeRow({ name: rowName(SIZE, 'Sluice'), unit: 'kB', values: [11.94] }),
  makeRow({ name: rowName(DONE, 'Sluice'), unit: '', values: [0] }),
  makeRow({ name: rowName(BUSY, 'Sluice'), unit: 'ms', values: [140], demand }),
];

it('shows what survived, how often that came twice, and what each weighs', () => {
  expect(survivalTable(rows)).toEqual([
    '| delivered of 1,000 | after reload | in a new tab | after SIGKILL | two tabs, half each | gzip kB |',
    '| --- | --: | --: | --: | --: | --: |',
    '| Sluice | 1,000 | 1,000 | 1,000 | 1,000 | 11.9 |',
    '| Amplitude | 350 in 60 s | 350 in 60 s | 350 in 60 s | 350 in 60 s | – |',
    '| Mixpanel | 28, 7 twice | 28, 7 twice | 28, 7 twice | 28, 7 twice | – |',
  ]);
});

it('shows the main thread of those that were measured, and that one was not done', () => {
  expect(mainThreadTable(rows).at(-1)).toBe('| Sluice | – | > 140 | – | – | – | – | – | – |');
});

it('shows a demand once in the README: what survived stands in the table', () => {
  const section = browserReadme({ rows, measurements: [], plots: [] });
  expect(section.filter((line) => line.includes('missed'))).toHaveLength(1);
  expect(section.join('\n')).not.toContain('survived');
});

it('shows nothing where there was no browser', () => {
  const none = { rows: [], measurements: [], plots: [] };
  expect([...browserReadme(none), ...browserResults(none), ...survivalTable([])]).toEqual([]);
  expect(browserPlotsOf([])).toEqual([]);
});

it('draws what survived', async () => {
  const plots = browserPlotsOf(rows);
  expect(plots.map(({ description }) => description).join()).toContain('Mixpanel after SIGKILL 28, 7 twice');
  expect((await Promise.all(plots.map(renderSvg))).join()).toContain('28, 7 twice');
});
