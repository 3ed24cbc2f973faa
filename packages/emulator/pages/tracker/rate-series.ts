import type { Rates } from '../../src/admin/contract.ts';

/** How many seconds the chart has. */
export const SECONDS = 300;
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

/**
 * Converts rates to the series of a chart: the most frequent names in the order of their colours, then {@link OTHERS} if there are
 * any. With `only`, it is that name alone. `colours` has the numbers of the names that were shown before: a name keeps its colour,
 * whatever its rank is.
 */
export function toSeries(rates: readonly Rates[], colours: Map<string, number>, only?: string): Series[] {
  const start = (rates.at(-1)?.second ?? 0) - SECONDS + 1;
  const counted = rates.flatMap(({ second, counts }) =>
    Object.entries(counts).map(([name, count]) => ({ name, count, at: second - start })),
  );
  const shown = counted.filter(({ name, at }) => at >= 0 && (only === undefined || name === only));
  const totals = new Map<string, number>();
  for (const { name, count } of shown) totals.set(name, (totals.get(name) ?? 0) + count);
  totals.delete(OTHERS);
  const ranked = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name);
  colour(ranked.slice(0, MOST_NAMES), colours);
  const series = new Map<number, { name: string; colour: number; counts: number[]; total: number }>();
  for (const { name, count, at } of shown) {
    const colour = colours.get(name) ?? MOST_NAMES;
    const { counts, total } = series.get(colour) ?? { counts: Array<number>(SECONDS).fill(0), total: 0 };
    counts[at] = (counts[at] ?? 0) + count;
    series.set(colour, { name: colour === MOST_NAMES ? OTHERS : name, colour, counts, total: total + count });
  }
  return [...series.values()].sort((one, other) => one.colour - other.colour);
}

/** Gives each name a colour that no other one has now, if possible the one that it had before. */
function colour(names: readonly string[], colours: Map<string, number>): void {
  for (const name of colours.keys()) if (!names.includes(name)) colours.delete(name);
  const taken = new Set(colours.values());
  const free = Array.from({ length: MOST_NAMES }, (_, number) => number).filter((each) => !taken.has(each));
  for (const name of names) if (!colours.has(name)) colours.set(name, free.shift() ?? MOST_NAMES);
}
