import { DELIVERED } from '../measurements/burst-rows.ts';
import type { Row } from '../row.ts';
import { bare, collecting } from '../subjects/bare.ts';
import { always, byDefault, inMemory } from '../subjects/sluice.ts';
import type { Plot } from './plot.ts';

const COLORS = { Sluice: '#0969da', 'by hand': '#8c959f', 'other SDKs': '#d4a72c' };
type Kind = keyof typeof COLORS;
const SLUICE = [byDefault, always, inMemory].map(({ name }) => name);
const BY_HAND = [bare, collecting].map(({ name }) => name);
const PREFIX = `${DELIVERED.title}, `;
const DIGITS = ',.0f';

/** Delivered events per second, by SDK. Undefined where nothing of it was measured. */
export function deliveredPlot(rows: readonly Row[], names: readonly string[]): Plot | undefined {
  const values = names.flatMap((name) => {
    const row = rows.find((one) => one.name === PREFIX + name);
    return row === undefined ? [] : [{ name: label(name), kind: kindOf(name), ...row.spread }];
  });
  if (values.length === 0) return undefined;
  values.sort((a, b) => b.median - a.median);
  const order = values.map(({ name }) => name);
  const y = { field: 'name', type: 'nominal', sort: order, title: null } as const;
  const most = Math.max(...values.map(({ max }) => max));
  return {
    name: 'delivered',
    description: `Delivered events per second: ${values.map(({ name, median }) => `${name} ${Math.round(median).toLocaleString('en')}`).join(', ')}.`,
    spec: {
      title: {
        text: 'Delivered events per second, in a burst',
        subtitle:
          'One process, loopback; more is better. Median of all rounds, the line from the least to the most.',
      },
      width: 520,
      height: { step: 24 },
      data: { values },
      encoding: { y },
      layer: [
        {
          mark: { type: 'bar', height: 15 },
          encoding: {
            x: {
              field: 'median',
              type: 'quantitative',
              title: 'events/s',
              axis: { format: DIGITS, grid: true, tickCount: 6 },
              scale: { domainMax: most * 1.12 },
            },
            color: {
              field: 'kind',
              type: 'nominal',
              scale: { domain: Object.keys(COLORS), range: Object.values(COLORS) },
              legend: { title: null, orient: 'bottom', labelFontSize: 12 },
            },
          },
        },
        {
          mark: { type: 'rule', color: '#24292f', strokeWidth: 1.5 },
          encoding: { x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 6, color: '#24292f', fontSize: 12 },
          encoding: {
            x: { field: 'max', type: 'quantitative' },
            text: { field: 'median', type: 'quantitative', format: DIGITS },
          },
        },
      ],
    },
  };
}

function label(name: string): string {
  if (SLUICE.includes(name)) return `Sluice, ${name}`;
  return name;
}

function kindOf(name: string): Kind {
  if (SLUICE.includes(name)) return 'Sluice';
  return BY_HAND.includes(name) ? 'by hand' : 'other SDKs';
}
