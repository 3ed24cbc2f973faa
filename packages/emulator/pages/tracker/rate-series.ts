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
 * Converts rates to the series of a chart; with `only`, those of one name. `colours` has the numbers of the names that were shown
 * before: a name keeps its colour, whatever its rank is.
 */
export function toSeries(rates: readonly Second[], colours: Map<string, number>, only?: string): RateSeries {
  const latest = rates.at(-1)?.second ?? 0;
  const begin = rates[0]?.second ?? latest + 1;
  const seconds = Array.from({ length: SECONDS }, (_, at) => latest - SECONDS + 1 + at);
  const known = new Map(rates.map(({ second, counts }) => [second, counts]));
  const unknown = seconds.filter((second) => second >= begin && !known.get(second));
  const countsOf = (name: string) =>
    seconds.map((second) => {
      const counts = known.get(second) ?? {};
      return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
    });
  const names = only === undefined ? rates.flatMap(({ counts }) => Object.keys(counts ?? {})) : [only];
  const ranked = [...new Set(names)]
    .map((name) => withTotal(name, countsOf(name)))
    .filter(({ total }) => total > 0)
    .sort((a, b) => Number(a.name === OTHERS) - Number(b.name === OTHERS) || b.total - a.total);
  const first = ranked.filter(({ name }, rank) => rank < MOST_NAMES && name !== OTHERS);
  const rest = ranked.slice(first.length);
  colour(first, colours);
  const series: Series[] = first
    .map((each) => ({ ...each, colour: colours.get(each.name) ?? MOST_NAMES }))
    .sort((a, b) => a.colour - b.colour);
  if (rest.length > 0) series.push({ ...withTotal(OTHERS, sumsOf(rest)), colour: MOST_NAMES });
  return { seconds, series, sums: sumsOf(series), gaps: rangesOf(unknown) };

  function sumsOf(parts: readonly Pick<Series, 'counts'>[]): number[] {
    return seconds.map((_, at) => sumOf(parts.map(({ counts }) => counts[at] ?? 0)));
  }
}

function withTotal(name: string, counts: readonly number[]): Omit<Series, 'colour'> {
  return { name, counts, total: sumOf(counts) };
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
  const free = new Set(Array.from({ length: MOST_NAMES }, (_, number) => number));
  for (const { name } of names) if (!free.delete(colours.get(name) ?? -1)) colours.delete(name);
  const [...left] = free;
  for (const { name } of names) if (!colours.has(name)) colours.set(name, left.shift() ?? MOST_NAMES);
}
