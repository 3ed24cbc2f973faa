import type { Spread } from './spread.ts';

/** A condition on the median of a figure, on its value in every round, or on its ratio to the figure that it is compared to. */
export type Demand = {
  readonly of: 'ratio' | 'value' | 'every value';
} & (
  | { readonly bound: 'at least' | 'at most'; readonly limit: number }
  /** Both limits are allowed values. */
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

/** As shown in tables: `ratio >= 1.1`, `<= 96`, `every run >= 1000`, `ratio 0.9 to 1.1`. */
export function demandText(demand: Demand): string {
  const prefix = { ratio: 'ratio ', value: '', 'every value': 'every run ' }[demand.of];
  return prefix + boundText(demand);
}

function boundText(demand: Demand): string {
  if (demand.bound === 'between') return demand.limits.join(' to ');
  return `${demand.bound === 'at least' ? '>=' : '<='} ${demand.limit}`;
}
