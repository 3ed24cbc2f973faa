import type { Spread } from './spread.ts';

/** What must hold of the median of a figure, of its value in every round, or of its ratio to what it is measured against. */
export type Demand = {
  readonly of: 'ratio' | 'value' | 'every value';
} & (
  | { readonly bound: 'at least' | 'at most'; readonly limit: number }
  /** Both ends belong to it. */
  | { readonly bound: 'between'; readonly limits: readonly [least: number, most: number] }
);

export function isMet(demand: Demand, value: Spread, ratio: number | undefined): boolean {
  if (demand.of === 'ratio') return ratio !== undefined && isWithin(demand, ratio);
  if (demand.of === 'value') return isWithin(demand, value.median);
  return isWithin(demand, value.min) && isWithin(demand, value.max);
}

function isWithin(demand: Demand, figure: number): boolean {
  if (demand.bound === 'between') return figure >= demand.limits[0] && figure <= demand.limits[1];
  return demand.bound === 'at least' ? figure >= demand.limit : figure <= demand.limit;
}

/** As in the tables: `ratio >= 1.1`, `<= 96`, `every run >= 1000`, `ratio 0.9 to 1.1`. */
export function demandText(demand: Demand): string {
  const prefix = { ratio: 'ratio ', value: '', 'every value': 'every run ' }[demand.of];
  return prefix + boundText(demand);
}

function boundText(demand: Demand): string {
  if (demand.bound === 'between') return demand.limits.join(' to ');
  return `${demand.bound === 'at least' ? '>=' : '<='} ${demand.limit}`;
}
