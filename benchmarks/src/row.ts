import { type Demand, demandText, isMet } from './demand.ts';
import { type Size, sizeText } from './size.ts';
import { type Spread, spreadOf } from './spread.ts';

/** One figure of the results. */
export interface Row {
  readonly name: string;
  /** The median. */
  readonly value: number;
  readonly unit: string;
  /** How many events were measured, and after how many for warm-up. Null if this does not apply. */
  readonly events: string | null;
  /** What the ratio compares with. Null if there is no ratio. */
  readonly against: string | null;
  /** The median of the ratios of the rounds. */
  readonly ratio: number | null;
  readonly demand: string | null;
  readonly pass: boolean | null;
  readonly spread: Spread;
  readonly ratioSpread: Spread | null;
}

/** The input of a row: the same figure, once for each round. */
export interface Figures {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly size?: Size;
  readonly against?: { readonly name: string; readonly values: readonly number[] };
  readonly demand?: Demand;
}

/** Ratios are made within a round, so that a slow phase of the machine affects both sides. */
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
