import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { formatCount, formatShort, formatSome } from '../../parts/text/numbers.ts';
import { shownText } from '../../parts/text/shown-text.ts';
import { rates, type Second } from '../../shell/live.ts';
import { isDark, isPhone } from '../../shell/screen.ts';
import { type EventFilter, isOpen } from '../filter/event-filter.ts';
import { drawGaps } from './rate-gaps.ts';
import { OTHERS, type RateSeries, toSeries } from './rate-series.ts';

const HEIGHT = 120;
const HEIGHT_ON_PHONE = 84;

interface RateChartProps {
  /** Whether the chart is paused. */
  readonly isPaused: boolean;
  readonly filter: EventFilter;
  /** Called with the name of an event that the user has clicked. */
  readonly onPick: (name: string) => void;
}

/** Events per second by name, over the last minutes: a chart, and a text for screen readers. */
export function RateChart({ isPaused, filter, onPick }: RateChartProps) {
  const latest = useRef<readonly Second[]>([]);
  const colours = useRef(new Map<string, number>());
  if (!isPaused) latest.current = rates.value;
  const shown = latest.current;
  const { name: only, ...others } = filter;
  const series = useMemo(() => toSeries(onlyOf(shown, only), colours.current), [shown, only]);
  const title = isOpen(others) ? 'Events per second' : 'Events per second, by name only';
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const at = hovered ?? series.seconds.length - 1;
  const second = series.seconds[at] ?? 0;
  const isKnown = !series.gaps.some(([first, last]) => first <= second && second <= last);
  return (
    <figure class="chart">
      <Canvas series={series} onHover={setHovered} />
      <figcaption>
        <span class="visually-hidden">{inWords(series)}</span>
        <span class="muted number chart-at">
          {hovered === undefined ? title : `At ${clock(second)}`}
          {hovered !== undefined && !isKnown && ', no connection'}
        </span>
        <ul>
          {series.names.map((name, index) => (
            <li key={name}>
              <span class="swatch" style={{ background: colour(name, series.colours[index]) }} />
              {name === OTHERS ? (
                <span class="chart-others">others</span>
              ) : (
                <button type="button" class="quiet cut" title="Show only these" onClick={() => onPick(name)}>
                  {shownText(name)}
                </button>
              )}
              <span class="number muted">{isKnown ? formatCount(series.counts[index]?.[at] ?? 0) : '–'}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

interface CanvasProps {
  readonly series: RateSeries;
  readonly onHover: (index: number | undefined) => void;
}

function Canvas({ series, onHover }: CanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const height = isPhone.value ? HEIGHT_ON_PHONE : HEIGHT;
  const gaps = useRef(series.gaps);
  gaps.current = series.gaps;
  const names = series.names.map((name, index) => `${name} ${series.colours[index]}`).join('\n');
  const theme = isDark.value;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const made = new uPlot(
      options(element, series, height, onHover, () => gaps.current),
      data(series),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [names, height, theme]);
  useEffect(() => plot.current?.setData(data(series)), [series]);
  return <div ref={host} class="chart-canvas" aria-hidden="true" style={{ height: `${height}px` }} />;
}

function options(
  element: HTMLElement,
  { names, colours }: RateSeries,
  height: number,
  onHover: (index: number | undefined) => void,
  gaps: () => RateSeries['gaps'],
): uPlot.Options {
  const style = getComputedStyle(element);
  const axis: uPlot.Axis = {
    stroke: style.color,
    grid: { stroke: style.borderTopColor, width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`,
  };
  const bars = uPlot.paths.bars?.({ size: [0.85, 40], align: 1 });
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    padding: [8, 24, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      // A second lasts until the next one, so the scale ends one second after the last.
      x: { range: (_, first, last) => [first, last + 1] },
      y: { range: (_, __, most) => [0, Math.max(4, (most ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 24, space: 70, values: (_, ticks) => ticks.map(clock) },
      { ...axis, size: 44, space: 32, values: (_, ticks) => ticks.map(formatShort), incrs: WHOLE },
    ],
    series: [
      {},
      // The largest sums are drawn first, and smaller ones over them.
      ...names
        .map((name, index) => colour(name, colours[index]))
        .toReversed()
        .map((fill) => ({
          fill: resolved(element, fill),
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        })),
    ],
    hooks: {
      drawAxes: [(plot) => drawGaps(plot, gaps(), style.borderTopColor, style.color)],
      setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)],
    },
  };
}

const WHOLE = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 8 }, (_, power) => digit * 10 ** power))
  .sort((a, b) => a - b);

function data({ seconds, sums }: RateSeries): uPlot.AlignedData {
  return [[...seconds], ...sums.toReversed().map((sum) => [...sum])];
}

function colour(name: string, number = 0): string {
  return name === OTHERS ? 'var(--series-others)' : `var(--series-${number + 1})`;
}

/** The rates of one name; those of all names if it is undefined. */
function onlyOf(seconds: readonly Second[], name: string | undefined): readonly Second[] {
  if (name === undefined) return seconds;
  return seconds.map(({ second, counts }) => ({
    second,
    counts: counts && (Object.hasOwn(counts, name) ? { [name]: counts[name] ?? 0 } : {}),
  }));
}

/** Resolves a colour of the styles for the canvas. */
function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function inWords({ names, totals, seconds, sums, gaps }: RateSeries): string {
  const unknown = gaps
    .map(([first, last]) => ` No connection from ${clock(first)} to ${clock(last)}.`)
    .join('');
  const perSecond = sums.at(-1) ?? [];
  const total = perSecond.reduce((sum, count) => sum + count, 0);
  if (total === 0) return `Events per second: none in the last minutes.${unknown}`;
  const most = Math.max(...perSecond);
  const parts = names.map(
    (name, index) => `${name === OTHERS ? 'others' : name} ${formatCount(totals[index] ?? 0)}`,
  );
  const minutes = formatSome(Math.round(seconds.length / 60), 'minute');
  return `Events per second: ${formatCount(total)} events in the last ${minutes}, at most ${formatCount(most)} in one second. By name: ${parts.join(', ')}.${unknown}`;
}

function clock(second: number): string {
  return new Date(second * 1_000).toLocaleTimeString('en-GB'); // 24-hour clock
}
