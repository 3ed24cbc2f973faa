import type { Second } from '../shell/live.ts';

const SECONDS = 300;
const MOST_NAMES = 5;

/** The name for all other events. */
export const OTHERS = '';

/** The events of one name. */
export interface Series {
  readonly name: string;
  /** The number of its colour, from 0. */
  readonly colour: number;
  /** The number of events in each second. */
  readonly counts: readonly number[];
  readonly total: number;
}

/** Events per second by name, as a chart draws them. */
export interface RateSeries {
  /** The seconds of the last minutes, since 1970. */
  readonly seconds: readonly number[];
  /** The most frequent names in the order of their colours, then {@link OTHERS} if there are any. */
  readonly series: readonly Series[];
  /** The number of events in each second. */
  readonly sums: readonly number[];
  /** The first and the last second of each range in which the events are not known. */
  readonly gaps: readonly (readonly [first: number, last: number])[];
}

/**
 * Converts rates to the series of a chart. `colours` has the numbers of the names that were shown before: a name keeps its colour,
 * whatever its rank is.
 */
export function toSeries(rates: readonly Second[], colours: Map<string, number>): RateSeries {
  const latest = rates.at(-1)?.second ?? 0;
  const start = latest - SECONDS + 1;
  const seconds = Array.from({ length: SECONDS }, (_, index) => start + index);
  const unknown = new Set(seconds.filter((second) => second >= (rates[0]?.second ?? latest + 1)));
  const byName = new Map<string, number[]>();
  const ofName = (name: string) => {
    const counts = byName.get(name) ?? seconds.map(() => 0);
    byName.set(name, counts);
    return counts;
  };
  for (const { second, counts } of rates) {
    if (second < start || counts === null) continue;
    unknown.delete(second);
    for (const [name, count] of Object.entries(counts)) ofName(name)[second - start] = count;
  }
  const ranked = [...byName].map(([name, counts]) => ({ name, counts, total: sumOf(counts) }));
  ranked.sort((a, b) => Number(a.name === OTHERS) - Number(b.name === OTHERS) || b.total - a.total);
  const first = ranked.filter(({ name }, rank) => rank < MOST_NAMES && name !== OTHERS);
  const rest = ranked.slice(first.length);
  colour(first, colours);
  const series: Series[] = first
    .map((each) => ({ ...each, colour: colours.get(each.name) ?? MOST_NAMES }))
    .sort((a, b) => a.colour - b.colour);
  if (rest.length > 0) {
    const counts = seconds.map((_, at) => sumOf(rest.map((each) => each.counts[at] ?? 0)));
    series.push({ name: OTHERS, colour: MOST_NAMES, counts, total: sumOf(counts) });
  }
  const sums = seconds.map((_, at) => sumOf(series.map(({ counts }) => counts[at] ?? 0)));
  return { seconds, series, sums, gaps: rangesOf([...unknown]) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function rangesOf(seconds: readonly number[]): (readonly [number, number])[] {
  const firsts = seconds.filter((second, at) => seconds[at - 1] !== second - 1);
  const lasts = seconds.filter((second, at) => seconds[at + 1] !== second + 1);
  return firsts.map((first, at) => [first, lasts[at] ?? first]);
}

/** Gives each name a colour that no other one has now, if possible the one that it had before. */
function colour(names: readonly { readonly name: string }[], colours: Map<string, number>): void {
  const taken = new Set<number>();
  for (const { name } of names) {
    const before = colours.get(name);
    if (before === undefined) continue;
    if (taken.has(before)) colours.delete(name);
    else taken.add(before);
  }
  for (const { name } of names) {
    if (colours.has(name)) continue;
    let free = 0;
    while (taken.has(free)) free += 1;
    taken.add(free);
    colours.set(name, free);
  }
}
