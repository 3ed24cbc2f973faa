import { machineLine } from './machine.ts';
import { DELIVERED_ROW } from './measurements/burst.ts';
import { FIRST_REQUEST_ROW, PEAK_MEMORY_ROW } from './measurements/recovery.ts';
import { TRACK_ROW } from './measurements/track.ts';
import type { Results } from './results-page.ts';
import type { Row } from './row.ts';

const NS_PER_US = 1_000;

/** The README's section about speed: the main figures, and a link to all others. */
export function readmeSection({ rows, machine, date }: Pick<Results, 'rows' | 'machine' | 'date'>): string {
  const delivered = find(rows, DELIVERED_ROW);
  const track = find(rows, TRACK_ROW);
  const firstRequest = find(rows, FIRST_REQUEST_ROW);
  const memory = find(rows, PEAK_MEMORY_ROW);
  return [
    `Measured on ${machineLine(machine, date)}:`,
    '',
    `- With the default journal, ${whole(delivered.value)} events/s are delivered. That is ${ratioText(delivered)} of what a loop ` +
      `delivers that posts as it tracks and has no journal. ${demandText(delivered)}`,
    `- One \`track()\` takes ${(track.value / NS_PER_US).toFixed(1)} µs. That is ${ratioText(track)} of one JSON.stringify of a whole ` +
      `event. ${demandText(track)}`,
    `- A process that finds ${firstRequest.events ?? ''} events sends its first request after ${valueText(firstRequest)}. ${demandText(firstRequest)} ` +
      `It takes ${valueText(memory)} of memory at most. ${demandText(memory)}`,
    '',
    '[All figures](benchmarks/results.md), with every demand that is missed, and how each is measured.',
  ].join('\n');
}

function find(rows: readonly Row[], name: string): Row {
  const row = rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`there is no row "${name}" for the README`);
  return row;
}

/** `0.93 (0.83 to 1.12)` */
function ratioText({ ratio, ratioSpread }: Row): string {
  return `${digits(ratio)} (${digits(ratioSpread?.min)} to ${digits(ratioSpread?.max)})`;
}

/** `40 ms (34 to 46)` */
function valueText({ value, unit, spread }: Row): string {
  return `${whole(value)} ${unit} (${whole(spread.min)} to ${whole(spread.max)})`;
}

function demandText({ demand, pass }: Row): string {
  return `Demand: ${demand}, ${pass === true ? 'met' : '**missed**'}.`;
}

function digits(ratio: number | null | undefined): string {
  return (ratio ?? Number.NaN).toFixed(2);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
