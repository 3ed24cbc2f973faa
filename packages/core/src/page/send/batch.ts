import { countOf, type Trial } from '../../send/trial.ts';
import type { Batch as Carry } from '../../wait/parcel.ts';
import { encoder, free, type Parcel } from '../keep/parcel.ts';
import type { Parcels } from '../keep/parcels.ts';

/** What a request carries: its events, and its body for the service of the interface. */
export interface Carried extends Carry {
  readonly count: number;
}

/** Parcels in one request, which is made until they end or are halved. */
export interface Batch extends Trial {
  parcels: readonly Parcel[];
  /** When it is sent next, and how long that was when it was decided. */
  at: number;
  waitMs: number;
  sent: number;
  /** It goes under a name: a relay may have it already. */
  isNamed?: boolean;
  /** Its page was left meanwhile: it may have arrived, and waits for the end of its lease. */
  isLeft?: boolean;
  /** What its requests carry: each has the same bytes. */
  carried?: Carried | undefined;
}

/** @param from What it is a piece of, and failed: that is the first proof. */
export function batchOf(parcels: readonly Parcel[], from?: Batch): Batch {
  return {
    ...{ parcels, whole: from?.whole ?? { isAccepted: false }, proofs: from ? 1 : 0, seen: from?.seen ?? 0 },
    ...{ at: 0, waitMs: 0, sent: 0, refusals: 0, failures: 0 },
  };
}

/** @param fields What the body has besides the events. */
export function carry(texts: readonly string[], fields?: object): Carried {
  const more = fields ? `,${JSON.stringify(fields).slice(1, -1)}` : '';
  return {
    count: texts.length,
    body: encoder.encode(`{"batch":[${texts}]${more}}`),
    // For parts only.
    get texts() {
      return texts.map((text) => encoder.encode(text));
    },
  };
}

/** Leaves out what has ended. Returns whether it is still one request. */
export function isAlive(batch: Batch, parcels: Pick<Parcels, 'areFirst'>): boolean {
  const left = batch.parcels.filter(({ state }) => state !== 'ended');
  batch.parcels = left;
  const stays = left.length > 0 && (parcels.areFirst(left) || !parcels.areFirst(left, 'waiting'));
  // Something that was found later belongs between them, and would wait for the first, as the last would wait for it.
  if (!stays) free(left);
  return stays;
}

/** What failed seldom and is small comes first: it is found soon whether single events are refused, or all. */
export function rankOf(batch: Batch): number {
  return (batch.isAlone ? 1e9 : 0) + (batch.sent + batch.proofs) * 1e5 + countOf(batch);
}
