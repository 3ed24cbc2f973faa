/** What must hold of a figure, or of its ratio to what it is measured against. */
export type Demand = {
  readonly of: 'ratio' | 'value';
} & (
  | { readonly bound: 'at least' | 'at most'; readonly limit: number }
  /** Both ends belong to it. */
  | { readonly bound: 'between'; readonly limits: readonly [least: number, most: number] }
);

export function isMet(demand: Demand, value: number, ratio: number | undefined): boolean {
  const figure = demand.of === 'ratio' ? ratio : value;
  if (figure === undefined) return false;
  if (demand.bound === 'between') return figure >= demand.limits[0] && figure <= demand.limits[1];
  return demand.bound === 'at least' ? figure >= demand.limit : figure <= demand.limit;
}

/** As in the tables: `ratio >= 1.1`, `<= 96`, `ratio 0.9 to 1.1`. */
export function demandText(demand: Demand): string {
  return demand.of === 'ratio' ? `ratio ${boundText(demand)}` : boundText(demand);
}

function boundText(demand: Demand): string {
  if (demand.bound === 'between') return demand.limits.join(' to ');
  return `${demand.bound === 'at least' ? '>=' : '<='} ${demand.limit}`;
}
