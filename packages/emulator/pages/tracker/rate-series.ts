import type { Rates } from '../../src/admin/contract.ts';
import type { Second } from '../shell/live.ts';

const SECONDS = 300;
const MOST_NAMES = 5;

/** The name for all other events. */
export const OTHERS = '';

/** Events per second by name, as a chart draws them. */
export interface RateSeries {
  /** The most frequent names in the order of their colours, then {@link OTHERS} if there are any. */
  readonly names: readonly string[];
  /** For each name but {@link OTHERS}: the number of its colour, from 0. */
  readonly colours: readonly number[];
  /** The seconds of the last minutes, since 1970. */
  readonly seconds: readonly number[];
  /** For each name: the number of events in each second. */
  readonly counts: readonly (readonly number[])[];
  /** For each name: the number of events in each second, added to those of the names before it. */
  readonly sums: readonly (readonly number[])[];
  /** For each name: the number of events. */
  readonly totals: readonly number[];
  /** The first and the last second of each range in which the events are not known. */
  readonly gaps: readonly Gap[];
}

type Gap = readonly [first: number, last: number];

/**
 * Converts rates to the series of a chart. `colours` has the numbers of the names that were shown before: a name keeps its colour,
 * whatever its rank is.
 */
export function toSeries(rates: readonly Second[], colours: Map<string, number>): RateSeries {
  const totals = new Map<string, number>();
  for (const { counts } of rates) {
    for (const [name, count] of Object.entries(counts ?? {}))
      totals.set(name, (totals.get(name) ?? 0) + count);
  }
  const frequent = [...totals.keys()]
    .filter((name) => name !== OTHERS)
    .sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0))
    .slice(0, MOST_NAMES);
  const names = coloured(frequent, colours);
  if (totals.size > names.length) names.push(OTHERS);

  const latest = rates.at(-1)?.second ?? 0;
  const bySecond = new Map(rates.map(({ second, counts }) => [second, counts]));
  const seconds = Array.from({ length: SECONDS }, (_, index) => latest - SECONDS + 1 + index);
  const counts = names.map((name) =>
    seconds.map((second) => countOf(bySecond.get(second) ?? {}, name, names)),
  );
  const sums: number[][] = [];
  for (const each of counts) sums.push(each.map((count, index) => count + (sums.at(-1)?.[index] ?? 0)));
  return {
    names,
    colours: names.map((name) => colours.get(name) ?? MOST_NAMES),
    seconds,
    counts,
    sums,
    totals: counts.map((each) => each.reduce((sum, one) => sum + one, 0)),
    gaps: gapsOf(
      seconds.filter((second) => second >= (rates[0]?.second ?? latest + 1) && !bySecond.get(second)),
    ),
  };
}

function gapsOf(unknown: readonly number[]): Gap[] {
  const gaps: Gap[] = [];
  for (const second of unknown) {
    const last = gaps.at(-1);
    if (last?.[1] === second - 1) gaps[gaps.length - 1] = [last[0], second];
    else gaps.push([second, second]);
  }
  return gaps;
}

function countOf(counts: Rates['counts'], name: string, names: readonly string[]): number {
  if (name !== OTHERS) return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
  let others = 0;
  for (const [each, count] of Object.entries(counts))
    if (each === OTHERS || !names.includes(each)) others += count;
  return others;
}

/** Gives each name a colour that no other one has now, if possible the one that it had before. Returns the names in that order. */
function coloured(names: readonly string[], colours: Map<string, number>): string[] {
  const taken = new Map<number, string>();
  for (const name of names.filter((each) => colours.has(each))) {
    const before = colours.get(name) ?? 0;
    if (taken.has(before)) colours.delete(name);
    else taken.set(before, name);
  }
  for (const name of names.filter((each) => !colours.has(each))) {
    let free = 0;
    while (taken.has(free)) free += 1;
    taken.set(free, name);
    colours.set(name, free);
  }
  return names.toSorted((a, b) => (colours.get(a) ?? 0) - (colours.get(b) ?? 0));
}
