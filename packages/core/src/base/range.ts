/** Consecutive events, by their indexes: `from` (inclusive) to `to` (exclusive). */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Consecutive events of one segment. */
export interface Range extends Span {
  /** A positive number that the journal chose. */
  readonly segment: number;
}

export function allOf(segment: number): Range {
  return { segment, from: 0, to: Number.POSITIVE_INFINITY };
}

export function rangeLength({ from, to }: Span): number {
  return to - from;
}

/** The position of the first span that ends after an index. The spans must be in order. */
export function firstBehind(spans: readonly Span[], index: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.to ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The parts of a range that lie outside another range of the same segment. */
export function without<Part extends Span>(part: Part, { from, to }: Span): Part[] {
  const parts = [
    { ...part, to: Math.min(part.to, from) },
    { ...part, from: Math.max(part.from, to) },
  ];
  return parts.filter((left) => left.from < left.to);
}
