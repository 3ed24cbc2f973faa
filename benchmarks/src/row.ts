import { type Demand, demandText, isMet } from './demand.ts';
import { type Size, sizeText } from './size.ts';
import { type Spread, spreadOf } from './spread.ts';

/** One figure of the results. */
export interface Row {
  readonly name: string;
  /** The median. */
  readonly value: number;
  readonly unit: string;
  /** How many events were measured, and after how many to warm up. Null where that is not what was measured. */
  readonly events: string | null;
  /** What the ratio is to. Null for a figure that stands alone. */
  readonly against: string | null;
  /** The median of the ratios of the rounds. */
  readonly ratio: number | null;
  readonly demand: string | null;
  readonly pass: boolean | null;
  readonly spread: Spread;
  readonly ratioSpread: Spread | null;
}

/** What rows are made of: the same figure, once for each round. */
export interface Figures {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly size?: Size;
  readonly against?: { readonly name: string; readonly values: readonly number[] };
  readonly demand?: Demand;
}

/** Ratios are made within a round, so that a machine that is slower for a while is so for both sides. */
export function makeRow({ name, unit, values, size, against, demand }: Figures): Row {
  const spread = spreadOf(values);
  const ratioSpread =
    against === undefined
      ? null
      : spreadOf(values.map((value, round) => value / (against.values[round] ?? Number.NaN)));
  return {
    name,
    value: spread.median,
    unit,
    events: size === undefined ? null : sizeText(size),
    against: against?.name ?? null,
    ratio: ratioSpread?.median ?? null,
    demand: demand === undefined ? null : demandText(demand),
    pass: demand === undefined ? null : isMet(demand, spread, ratioSpread?.median),
    spread,
    ratioSpread,
  };
}
