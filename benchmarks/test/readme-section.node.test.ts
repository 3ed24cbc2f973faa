import { expect, it } from 'vitest';
import { backlogPlot } from '../src/plots/backlog-plot.ts';
import { deliveredPlot } from '../src/plots/delivered-plot.ts';
import { renderSvg } from '../src/plots/plot.ts';
import { plotsOf } from '../src/plots/plots.ts';
import { readmeSection, withSection } from '../src/readme-section.ts';
import { makeRow } from '../src/row.ts';

const demand = { of: 'value', bound: 'at least', limit: 5 } as const;
const rows = [
  makeRow({ name: 'delivered, the bare loop', unit: 'events/s', values: [3, 1, 2] }),
  makeRow({ name: 'delivered, default journal', unit: 'events/s', values: [4, 4, 4], demand }),
  makeRow({ name: 'track(), backlog of 1,000', unit: 'ns', values: [7] }),
  makeRow({ name: 'memory over start, backlog of 1,000', unit: 'MiB', values: [8] }),
];
const begin = '<!-- written by `npm run bench`: begin -->';
const end = '<!-- written by `npm run bench`: end -->';

it('puts a section between its markers, again and again, and leaves the rest alone', () => {
  const once = withSection(`before\n${begin}\nold\n${end}\nafter\n`, 'new');
  expect(once).toBe(`before\n${begin}\n\nnew\n\n${end}\nafter\n`);
  expect(withSection(once, 'new')).toBe(once);
});

it('says so where the markers are missing', () => {
  expect(() => withSection(`before\n${end}\n`, 'new')).toThrow('begin');
});

it('shows the plots and what is demanded, met or missed', () => {
  const machine = [['processors', '2 × slow'] as const, ['Node', 'v20.0.0'] as const];
  const about = { machine, measurements: [], conditions: [], date: new Date('2026-11-21') };
  const browser = { rows: [], measurements: [], plots: [] };
  const section = readmeSection({ rows, browser, plots: plotsOf(rows), ...about });
  expect(section).toContain('2026-11-21, 2 × slow, Node v20.0.0');
  expect(section).toContain('](benchmarks/plots/delivered.svg)');
  expect(section).toContain(
    '| delivered, default journal | 4 | 4 to 4 | events/s |  |  |  | >= 5 | missed |',
  );
  expect(section).not.toContain('| delivered, the bare loop');
});

it('draws what was measured, on a ground of its own', async () => {
  const plot = deliveredPlot(rows, ['default journal', 'the bare loop', 'not measured']);
  expect(plot?.description).toBe('Delivered events per second: Sluice, default journal 4, the bare loop 2.');
  const svgs = await Promise.all(plotsOf(rows).map(renderSvg));
  expect(svgs).toHaveLength(2);
  for (const svg of svgs) expect(svg).toContain('fill="#ffffff"');
  expect(svgs[0]).toContain('Sluice, default journal');
  expect(svgs[1]).toContain('events waiting');
});

it('draws nothing of what was not measured', () => {
  expect(deliveredPlot(rows, ['not measured'])).toBeUndefined();
  expect(backlogPlot([])).toBeUndefined();
});
