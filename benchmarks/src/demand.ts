/** What must hold of a figure, or of its ratio to what it is measured against. */
export interface Demand {
  readonly of: 'ratio' | 'value';
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
}

export function isMet({ of, bound, limit }: Demand, value: number, ratio: number | undefined): boolean {
  const figure = of === 'ratio' ? ratio : value;
  if (figure === undefined) return false;
  return bound === 'at least' ? figure >= limit : figure <= limit;
}

/** As in the tables: `ratio >= 1.1`, `<= 96`. */
export function demandText({ of, bound, limit }: Demand): string {
  const comparison = `${bound === 'at least' ? '>=' : '<='} ${limit}`;
  return of === 'ratio' ? `ratio ${comparison}` : comparison;
}
