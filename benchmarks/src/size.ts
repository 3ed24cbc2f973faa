/** How many events are measured, and how many the same process handles before them. */
export interface Size {
  readonly events: number;
  readonly warmUp: number;
}

/** As shown in tables: `20,000 after 2,000`. */
export function sizeText({ events, warmUp }: Size): string {
  const text = events.toLocaleString('en');
  return warmUp === 0 ? text : `${text} after ${warmUp.toLocaleString('en')}`;
}
