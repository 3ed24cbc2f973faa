import { useMemo, useRef } from 'preact/hooks';
import type { Rates } from '../../src/admin/contract.ts';
import { formatClock, formatCount, formatSome, shownText } from '../parts/text.tsx';
import { rates } from '../shell/live.ts';
import { filter, isOpen, setFilter, withField } from './event-filter.ts';
import { OTHERS, SECONDS, type Series, toSeries } from './rate-series.ts';

const HEIGHT = 100;
const COLOURS = [1, 2, 3, 4, 5, 'others'].map((colour) => `var(--series-${colour})`);

/** Events per second by name, over the last minutes: a bar for each second, and how many they are. */
export function RateChart({ isPaused }: { readonly isPaused: boolean }) {
  const latest = useRef<readonly Rates[]>([]);
  const colours = useRef(new Map<string, number>());
  if (!isPaused) latest.current = rates.value;
  const shown = latest.current;
  const { name: only, ...others } = filter.value;
  const series = useMemo(() => toSeries(shown, colours.current, only), [shown, only]);
  const { paths, total, most } = stacked(series);
  const end = shown.at(-1)?.second;
  return (
    <figure class="chart small">
      <svg
        viewBox={`0 0 ${SECONDS} ${HEIGHT}`}
        preserveAspectRatio="none"
        shape-rendering="crispEdges"
        aria-hidden="true"
      >
        {paths.map((path, index) => (
          <path key={index} d={path} style={{ fill: COLOURS[series[index]?.colour ?? 0] }} />
        ))}
      </svg>
      <figcaption class="row">
        <span class="muted grow">
          {total === 0
            ? 'Events per second: none in the last minutes'
            : `Events per second: ${formatSome(total, 'event')} in the last minutes, at most ${formatCount(most)} in one second`}
          {!isOpen(others) && ', filtered by name only'}
        </span>
        {series.map(({ name, colour, total }) => (
          <span key={name} class="row">
            <span class="swatch" style={{ background: COLOURS[colour] }} />
            {name === OTHERS ? (
              'others'
            ) : (
              <button
                type="button"
                class="quiet cut"
                title="Show only these"
                onClick={() => setFilter(withField('name', name))}
              >
                {shownText(name)}
              </button>
            )}
            <span class="muted">{formatCount(total)}</span>
          </span>
        ))}
        {end !== undefined && <span class="muted">{`${clock(end - SECONDS + 1)} – ${clock(end)}`}</span>}
      </figcaption>
    </figure>
  );
}

/** A path for each series: its bars, on top of those before. And the sum of all bars, and the highest one. */
function stacked(series: readonly Series[]): { paths: string[]; total: number; most: number } {
  const sums = Array.from({ length: SECONDS }, (_, at) =>
    series.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0),
  );
  const most = Math.max(...sums);
  const scale = HEIGHT / Math.max(4, most);
  const tops: number[] = [];
  const bar = (count: number, at: number) => {
    if (count === 0) return '';
    const height = count * scale;
    tops[at] = (tops[at] ?? HEIGHT) - height;
    return `M${at} ${tops[at]}h.85v${height}h-.85z`;
  };
  const paths = series.map(({ counts }) => counts.map(bar).join(''));
  return { paths, most, total: series.reduce((sum, { total }) => sum + total, 0) };
}

function clock(second: number): string {
  return formatClock(new Date(second * 1_000));
}
