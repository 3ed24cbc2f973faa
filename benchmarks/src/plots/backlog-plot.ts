import type { Row } from '../row.ts';
import type { Plot } from './plot.ts';

const BACKLOG = /^(.+), backlog of ([\d,]+)$/;
const PANELS = [
  { title: 'track()', y: 'ns per track()' },
  { title: 'memory over start', y: 'memory over start, MiB' },
] as const;

/** The cost of track() and the memory, against the size of the backlog. Undefined if they were not measured. */
export function backlogPlot(rows: readonly Row[]): Plot | undefined {
  const points = rows.flatMap(({ name, spread }) => {
    const [, title, waiting] = BACKLOG.exec(name) ?? [];
    return waiting === undefined ? [] : [{ title, waiting: Number(waiting.replaceAll(',', '')), ...spread }];
  });
  if (points.length === 0) return undefined;
  return {
    name: 'backlog',
    description: `Against a backlog of ${points.map(({ title, waiting, median }) => `${waiting.toLocaleString('en')}: ${title} ${Math.round(median).toLocaleString('en')}`).join('; ')}.`,
    spec: {
      title: {
        text: 'Cost and memory against backlog',
        subtitle:
          'The service is away; events wait in the journal. Median of all rounds, the line from the least to the most.',
      },
      hconcat: PANELS.map(({ title, y }) => ({
        width: 270,
        height: 200,
        data: { values: points.filter((point) => point.title === title) },
        encoding: {
          x: {
            field: 'waiting',
            type: 'quantitative',
            title: 'events waiting',
            scale: { type: 'log' },
            axis: {
              format: ',d',
              values: [...new Set(points.map(({ waiting }) => waiting))],
              grid: false,
              labelFlush: false,
            },
          },
        },
        layer: [
          {
            mark: { type: 'line', color: '#0969da', point: { color: '#0969da', size: 50 } },
            encoding: { y: { field: 'median', type: 'quantitative', title: y, scale: { zero: true } } },
          },
          {
            mark: { type: 'rule', color: '#24292f', strokeWidth: 1.5 },
            encoding: { y: { field: 'min', type: 'quantitative' }, y2: { field: 'max' } },
          },
        ],
      })),
    },
  };
}
