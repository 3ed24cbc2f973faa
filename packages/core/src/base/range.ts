/** Consecutive events of one segment: indexes `from` (inclusive) to `to` (exclusive). */
export interface Range {
  /** A positive number that the journal chose. */
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

/** How many events a range holds. */
export function rangeLength({ from, to }: Range): number {
  return to - from;
}

/** The parts of a range that lie outside another range of the same segment. */
export function without<Part extends Omit<Range, 'segment'>>(
  part: Part,
  { from, to }: Omit<Range, 'segment'>,
): Part[] {
  const parts = [
    { ...part, to: Math.min(part.to, from) },
    { ...part, from: Math.max(part.from, to) },
  ];
  return parts.filter((left) => left.from < left.to);
}
