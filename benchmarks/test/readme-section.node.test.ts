import { expect, it } from 'vitest';
import { backlogPlot } from '../src/plots/backlog-plot.ts';
import { deliveredPlot } from '../src/plots/delivered-plot.ts';
import { renderSvg } from '../src/plots/plot.ts';
import { plotsOf } from '../src/plots/plots.ts';
import { readmeSection } from '../src/readme-section.ts';
import { resultsPage } from '../src/results-page.ts';
import { makeRow } from '../src/row.ts';
import { README_SECTION, SURVIVAL_SECTION } from '../src/sections.ts';

const demand = { of: 'ratio', bound: 'at least', limit: 1.1 } as const;
const most = { of: 'value', bound: 'at most', limit: 150 } as const;
const size = { events: 20_000, warmUp: 2_000 };
const backlog = { events: 1_000_000, warmUp: 0 };
const loop = { name: 'the bare loop', values: [200_000, 250_000, 400_000] };
const rows = [
  makeRow({ ...loop, name: 'delivered, the bare loop', unit: 'events/s', size }),
  makeRow({
    ...{ name: 'delivered, default journal', unit: 'events/s', size },
    ...{ values: [180_000, 250_000, 480_000], against: loop, demand },
  }),
  makeRow({
    ...{ name: 'track(), default journal', unit: 'ns', values: [2_310], size },
    ...{ against: { name: 'JSON.stringify of a whole event', values: [2_100] } },
    demand: { of: 'ratio', bound: 'at most', limit: 1.3 },
  }),
  makeRow({
    ...{ name: 'first batch in flight, of a backlog', unit: 'ms', values: [34, 40, 46] },
    ...{ size: backlog, demand: most },
  }),
  makeRow({
    ...{ name: 'peak memory, of a backlog', unit: 'MB', values: [115, 116, 151] },
    ...{ size: backlog, demand: most },
  }),
  makeRow({ name: 'track(), backlog of 1,000', unit: 'ns', values: [7] }),
  makeRow({ name: 'memory over start, backlog of 1,000', unit: 'MiB', values: [8] }),
];
const machine = {
  processors: '2 × slow',
  load: [0.5, 1.25, 2],
  others: [['Node', 'v20.0.0'] as const],
};
const results = {
  ...{ rows, machine, plots: plotsOf(rows), measurements: [], conditions: [] },
  ...{ browser: { rows: [], measurements: [] }, date: new Date('2026-11-21') },
};
const begin = '<!-- written by `npm run bench`: begin -->';
const end = '<!-- written by `npm run bench`: end -->';

it('puts a section between its markers, again and again, and leaves the rest alone', () => {
  const once = README_SECTION.replace(`before\n${begin}\nold\n${end}\nafter\n`, 'new');
  expect(once).toBe(`before\n${begin}\n\nnew\n\n${end}\nafter\n`);
  expect(README_SECTION.replace(once, 'new')).toBe(once);
  expect(README_SECTION.read(once)).toBe('new');
});

it('says so where the markers are missing', () => {
  expect(() => README_SECTION.replace(`before\n${end}\n`, 'new')).toThrow('begin');
});

it('shows three figures in the README, with ratio, spread and demand, and where all others are', () => {
  expect(readmeSection(results).split('\n')).toEqual([
    'Measured on 2026-11-21, 2 × slow, load at the start 0.50, 1.25, 2.00 (1, 5, 15 minutes):',
    '',
    '- With the default journal, 250,000 events/s are delivered. That is 1.00 (0.90 to 1.20) of what a loop delivers that ' +
      'posts as it tracks and has no journal. Demand: ratio >= 1.1, **missed**.',
    '- One `track()` takes 2.3 µs. That is 1.10 (1.10 to 1.10) of one JSON.stringify of a whole event. Demand: ratio <= 1.3, met.',
    '- A process that finds 1,000,000 events sends its first request after 40 ms (34 to 46). Demand: <= 150, met. ' +
      'It takes 116 MB (115 to 151) of memory at most. Demand: <= 150, met.',
    '',
    '[All figures](benchmarks/results.md), with every demand that is missed, and how each is measured.',
  ]);
});

it('refuses to write a README without one of its figures', () => {
  expect(() => readmeSection({ ...results, rows: rows.slice(2) })).toThrow('delivered, default journal');
});

it('shows all figures in the results, with how many events each has, the load and the plots', () => {
  const page = resultsPage(results, 'what survives');
  expect(page).toContain('2 × slow, load at the start 0.50, 1.25, 2.00 (1, 5, 15 minutes)');
  expect(page).toContain(
    '| delivered, default journal | 20,000 after 2,000 | 250,000 | 180,000 to 480,000 | events/s | 1.00 | 0.90 to 1.20 | the bare loop | ratio >= 1.1 | missed |',
  );
  expect(page).toContain('| delivered, the bare loop | 20,000 after 2,000 |');
  expect(page).toContain('](plots/delivered.svg)');
});

it('keeps in the results what survives, which another run measured', () => {
  expect(SURVIVAL_SECTION.read(resultsPage(results, 'what survives'))).toBe('what survives');
});

it('draws what was measured, each size apart, on a ground of its own', async () => {
  const sizes = [
    { events: 200_000, warmUp: 20_000 },
    { events: 2_000, warmUp: 200 },
  ];
  const bursts = sizes.map((burst) =>
    makeRow({ name: 'delivered, default journal', unit: 'events/s', values: [burst.events], size: burst }),
  );
  const segment = { name: 'delivered, Segment', unit: 'events/s', values: [7], size };
  const plot = deliveredPlot([...bursts, makeRow(segment)]);
  expect(plot?.description).toBe(
    'Delivered events per second: of 200,000 after 20,000: Sluice, default journal 200,000; ' +
      'of 20,000 after 2,000: Segment 7; of 2,000 after 200: Sluice, default journal 2,000.',
  );
  const svgs = await Promise.all(plotsOf(rows).map(renderSvg));
  expect(svgs).toHaveLength(2);
  for (const svg of svgs) expect(svg).toContain('fill="#ffffff"');
  expect(svgs[0]).toContain('Sluice, default journal');
  expect(svgs[1]).toContain('events waiting');
});

it('draws nothing of what was not measured', () => {
  expect(deliveredPlot([])).toBeUndefined();
  expect(backlogPlot([])).toBeUndefined();
});
