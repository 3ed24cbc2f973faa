import { useMemo, useRef, useState } from 'preact/hooks';
import { formatClock, formatCount, formatShort, formatSome, shownText } from '../parts/text.tsx';
import { rates, type Second } from '../shell/live.ts';
import { filter, isOpen, setFilter, withField } from './event-filter.ts';
import { OTHERS, type RateSeries, type Series, toSeries } from './rate-series.ts';

/** Seconds from one label below the chart to the next. */
const LABEL_EVERY = 60;
const COLOURS = [1, 2, 3, 4, 5, 'others'].map((colour) => `var(--series-${colour})`);

/** Events per second by name, over the last minutes: a chart, and a text for screen readers. */
export function RateChart({ isPaused }: { readonly isPaused: boolean }) {
  const latest = useRef<readonly Second[]>([]);
  const colours = useRef(new Map<string, number>());
  if (!isPaused) latest.current = rates.value;
  const shown = latest.current;
  const { name: only, ...others } = filter.value;
  const drawn = useMemo(() => toSeries(shown, colours.current, only), [shown, only]);
  const title = isOpen(others) ? 'Events per second' : 'Events per second, by name only';
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const at = hovered ?? drawn.seconds.length - 1;
  const second = drawn.seconds[at] ?? 0;
  const isKnown = !drawn.gaps.some(([first, last]) => first <= second && second <= last);
  return (
    <figure class="chart">
      <Plot drawn={drawn} hovered={hovered} onHover={setHovered} />
      <figcaption class="small-text">
        <span class="visually-hidden">{inWords(drawn)}</span>
        <ul class="row chart-names">
          <li class="muted">
            {hovered === undefined ? title : `At ${clock(second)}`}
            {hovered !== undefined && !isKnown && ', no connection'}
          </li>
          {drawn.series.map(({ name, colour, counts }) => (
            <li key={name} class="row">
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
              <span class="muted">{isKnown ? formatCount(counts[at] ?? 0) : '–'}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

interface PlotProps {
  readonly drawn: RateSeries;
  readonly hovered: number | undefined;
  readonly onHover: (index: number | undefined) => void;
}

/** A bar for each second, on which each name has its part. */
function Plot({ drawn, hovered, onHover }: PlotProps) {
  const { seconds, series, sums, gaps } = drawn;
  const [start = 0] = seconds;
  const most = Math.max(4, ...sums);
  const percent = (second: number) => `${((second - start) / seconds.length) * 100}%`;
  const hover = ({ currentTarget, clientX }: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onHover(
      Math.min(seconds.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * seconds.length))),
    );
  };
  return (
    <div
      class="plot muted"
      aria-hidden="true"
      onPointerMove={hover}
      onPointerLeave={() => onHover(undefined)}
    >
      {[0, most].map((tick) => (
        <span key={tick} class="plot-line" style={{ bottom: tick === 0 ? 0 : '100%' }}>
          {formatShort(tick)}
        </span>
      ))}
      {seconds
        .filter((second) => second > 0 && second % LABEL_EVERY === 0)
        .map((second) => (
          <span key={second} class="plot-time" style={{ left: percent(second) }}>
            {clock(second).slice(0, 5)}
          </span>
        ))}
      {gaps.map(([first, last]) => (
        <span
          key={first}
          class="plot-gap"
          style={{ left: percent(first), right: `calc(100% - ${percent(last + 1)})` }}
        >
          <span>no connection</span>
        </span>
      ))}
      <svg viewBox={`0 0 ${seconds.length} ${most}`} preserveAspectRatio="none" shape-rendering="crispEdges">
        <title>Events per second</title>
        {stacked(series, most).map((path, index) => (
          <path key={index} d={path} style={{ fill: COLOURS[series[index]?.colour ?? 0] }} />
        ))}
      </svg>
      {hovered !== undefined && <span class="plot-cursor" style={{ left: percent(start + hovered) }} />}
    </div>
  );
}

/** A path for each series: its bars, on top of those before. */
function stacked(series: readonly Series[], most: number): string[] {
  const tops: number[] = [];
  const bar = (count: number, at: number) => {
    if (count === 0) return '';
    tops[at] = (tops[at] ?? most) - count;
    return `M${at} ${tops[at]}h.85v${count}h-.85z`;
  };
  return series.map(({ counts }) => counts.map(bar).join(''));
}

function inWords({ seconds, series, sums, gaps }: RateSeries): string {
  const unknown = gaps
    .map(([first, last]) => ` No connection from ${clock(first)} to ${clock(last)}.`)
    .join('');
  const total = sums.reduce((sum, count) => sum + count, 0);
  if (total === 0) return `Events per second: none in the last minutes.${unknown}`;
  const parts = series.map(({ name, total }) => `${name || 'others'} ${formatCount(total)}`);
  const minutes = formatSome(Math.round(seconds.length / 60), 'minute');
  return `Events per second: ${formatCount(total)} events in the last ${minutes}, at most ${formatCount(Math.max(...sums))} in one second. By name: ${parts.join(', ')}.${unknown}`;
}

function clock(second: number): string {
  return formatClock(new Date(second * 1_000));
}
