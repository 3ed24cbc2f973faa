import type { MeasuredOutage } from './measured-outage.ts';

const TITLES = [
  ...['outage', 'probes/min', 'most', 'drained in s', 'at least', 'requests/s', 'peak', 'taken', 'refused'],
  ...['back in 1 s', 'fresh p50 s', 'p99', 'others p50 s', 'p99', 'requests/s in steps of 10 s'],
];
const BARS = ' ▁▂▃▄▅▆▇█';
/** Most steps of the curve that are shown. */
const MOST_STEPS = 45;

/** A table of outages, with the curves after their end. `others` have no backlog; `taken` is the capacity of the service. */
export function outageTable(outages: readonly MeasuredOutage[]): string[][] {
  return [TITLES, ...outages.map(outageLine)];
}

function outageLine(outage: MeasuredOutage): string[] {
  const { drainSeconds, freshAge, newcomersAge } = outage;
  return [
    outage.name,
    outage.probesPerMinute.toFixed(2),
    String(outage.mostProbesInAMinute),
    drainSeconds === undefined ? 'never' : String(drainSeconds),
    outage.leastDrainSeconds.toFixed(0),
    outage.meanRate.toFixed(1),
    String(outage.peakRate),
    outage.capacity.toFixed(0),
    percent(outage.refused),
    percent(outage.peakReturn),
    ...[freshAge?.p50, freshAge?.p99, newcomersAge?.p50, newcomersAge?.p99].map(seconds),
    bars(outage),
  ];
}

function bars({ curve, capacity }: MeasuredOutage): string {
  const most = Math.max(...curve, capacity);
  const bar = (rate: number) => BARS[Math.ceil((rate / most) * (BARS.length - 1))] ?? '';
  const end = curve.length > MOST_STEPS ? '…' : '|';
  return `|${curve.slice(0, MOST_STEPS).map(bar).join('')}${end} █ = ${most.toFixed(0)}`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? 'none' : (ms / 1_000).toFixed(1);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
