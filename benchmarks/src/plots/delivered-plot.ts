import type { TopLevelSpec } from 'vega-lite';
import { BURST_COMPARISON } from '../measurements/burst.ts';
import { burstName, DELIVERED } from '../measurements/burst-rows.ts';
import type { Comparison } from '../measurements/comparison.ts';
import { PEER_COMPARISONS } from '../measurements/peers.ts';
import type { Row } from '../row.ts';
import { sizeText } from '../size.ts';
import { bare, collecting } from '../subjects/bare.ts';
import { always, byDefault, inMemory } from '../subjects/sluice.ts';
import type { Subject } from '../subjects/subject.ts';
import type { Plot } from './plot.ts';

const COLORS = { Sluice: '#0969da', 'by hand': '#8c959f', 'other SDKs': '#d4a72c' };
type Kind = keyof typeof COLORS;
const SLUICE: readonly Subject[] = [byDefault, always, inMemory];
const BY_HAND: readonly Subject[] = [bare, collecting];
const DIGITS = ',.0f';

type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number];

interface Bar {
  readonly size: string;
  readonly name: string;
  readonly kind: Kind;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Delivered events per second, by size of the burst and SDK. Undefined if they were not measured. */
export function deliveredPlot(rows: readonly Row[]): Plot | undefined {
  const panels = [BURST_COMPARISON, ...PEER_COMPARISONS]
    .map((comparison) => barsOf(rows, comparison))
    .filter((bars) => bars.length > 0);
  if (panels.length === 0) return undefined;
  const most = Math.max(...panels.flat().map(({ max }) => max));
  return {
    name: 'delivered',
    description: `Delivered events per second: ${panels.map(panelText).join('; ')}.`,
    spec: {
      title: {
        text: 'Delivered events per second, in a burst',
        subtitle:
          'One process, loopback; more is better. Median of all rounds, the line from the least to the most. Only bars of one panel compare.',
      },
      vconcat: panels.map((bars) => panel(bars, most)),
    },
  };
}

/** The bars of a comparison, the fastest first. */
function barsOf(rows: readonly Row[], { size, subjects }: Comparison): readonly Bar[] {
  const events = sizeText(size);
  const bars = subjects.flatMap((subject) => {
    const name = burstName(DELIVERED, subject);
    // Sluice's rows have a different name for each ratio to a peer, and the same figure in all of them.
    const row = rows.find(
      (one) => one.events === events && (one.name === name || one.name.startsWith(`${name}, `)),
    );
    return row === undefined
      ? []
      : [{ size: events, name: label(subject), kind: kindOf(subject), ...row.spread }];
  });
  return bars.toSorted((a, b) => b.median - a.median);
}

function panelText(bars: readonly Bar[]): string {
  const figures = bars.map(({ name, median }) => `${name} ${Math.round(median).toLocaleString('en')}`);
  return `of ${bars[0]?.size}: ${figures.join(', ')}`;
}

function panel(bars: readonly Bar[], most: number): Panel {
  const order = bars.map(({ name }) => name);
  return {
    title: { text: `events: ${bars[0]?.size}`, fontSize: 12 },
    width: 520,
    height: { step: 24 },
    data: { values: [...bars] },
    encoding: { y: { field: 'name', type: 'nominal', sort: order, title: null } },
    layer: [
      {
        mark: { type: 'bar', height: 15 },
        encoding: {
          x: {
            field: 'median',
            type: 'quantitative',
            title: null,
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
  };
}

function label(subject: Subject): string {
  return SLUICE.includes(subject) ? `Sluice, ${subject.name}` : subject.name;
}

function kindOf(subject: Subject): Kind {
  if (SLUICE.includes(subject)) return 'Sluice';
  return BY_HAND.includes(subject) ? 'by hand' : 'other SDKs';
}
