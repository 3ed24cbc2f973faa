import { useMemo, useRef } from 'preact/hooks';
import type { Rates } from '../../src/admin/contract.ts';
import { formatClock, formatCount, formatSome, shownText } from '../parts/text.tsx';
import { rates } from '../shell/live.ts';
import { route, setQuery } from '../shell/route.ts';
import { isOpen } from './event-filter.ts';
import { OTHERS, SECONDS, toSeries } from './rate-series.ts';

const LOWEST = 4;
const COLOURS = [1, 2, 3, 4, 5, 'others'].map((colour) => `var(--series-${colour})`);

/** Events per second by name, over the last minutes: a bar for each second, and how many they are. */
export function RateChart({ isPaused }: { readonly isPaused: boolean }) {
  const latest = useRef<readonly Rates[]>([]);
  const colours = useRef(new Map<string, number>());
  if (!isPaused) latest.current = rates.value;
  const shown = latest.current;
  const { name: only, ...others } = route.value.query;
  const series = useMemo(() => toSeries(shown, colours.current, only), [shown, only]);
  const total = series.reduce((sum, { total }) => sum + total, 0);
  const sums = Array<number>(SECONDS).fill(0);
  // The bars of each series stand on those before.
  const paths = series.map(({ colour, counts }) => {
    const bars = counts.map((count, at) => {
      sums[at] = (sums[at] ?? 0) + count;
      return count === 0 ? '' : `M${at} ${-sums[at]}h.85v${count}h-.85z`;
    });
    return <path key={colour} d={bars.join('')} style={{ fill: COLOURS[colour] }} />;
  });
  const most = Math.max(...sums);
  const height = Math.max(LOWEST, most);
  const end = shown.at(-1)?.second;
  return (
    <figure class="card chart small">
      <svg
        viewBox={`0 ${-height} ${SECONDS} ${height}`}
        preserveAspectRatio="none"
        shape-rendering="crispEdges"
        aria-hidden="true"
      >
        {paths}
      </svg>
      <figcaption class="row">
        <span class="muted grow">
          {total === 0
            ? 'Events per second: none in the last 5 minutes'
            : `Events per second: ${formatSome(total, 'event')} in the last 5 minutes, at most ${formatCount(most)} in one second`}
          {!isOpen(others) && ', filtered by name only'}
        </span>
        {series.map(({ name, colour, total }) => (
          <span key={name} class="row">
            <span style={{ color: COLOURS[colour] }} aria-hidden="true">
              ■
            </span>
            {name === OTHERS ? (
              'others'
            ) : (
              <button
                type="button"
                class="quiet cut"
                title="Show only these"
                onClick={() => setQuery({ name })}
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

function clock(second: number): string {
  return formatClock(new Date(second * 1_000));
}
