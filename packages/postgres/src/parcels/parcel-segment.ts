import type { Limit } from '@sluice/core';
import type { Found, Release, Segment } from '../slots/segments.ts';
import type { Tenure } from '../slots/tenure.ts';
import { decodeBody, MOST_BODY_BYTES } from './parcel-body.ts';
import { type Parcel, ParcelList } from './parcel-list.ts';
import type { ParcelTable } from './parcel-table.ts';
import { joinPieces, outside, type Piece, type Span } from './pieces.ts';

/** The parcels of a slot. The index of an event is its number in the slot. */
export class ParcelSegment implements Segment {
  readonly tenure: Tenure;
  readonly parcels: ParcelList = new ParcelList();
  readonly #table: ParcelTable;
  /** What the last read took from the table: a parcel may be sent in several requests. */
  #pieces: readonly Piece[] = [];

  constructor(tenure: Tenure, table: ParcelTable) {
    this.tenure = tenure;
    this.#table = table;
  }

  get bytes(): number {
    return this.parcels.bytes;
  }

  async read(span: Span, limit: Limit): Promise<Found> {
    const wanted = this.parcels.within(span, limit);
    const [first, last] = [wanted[0], wanted.at(-1)];
    let isDamaged = false;
    if (first && last && !this.#pieces.some(({ from }) => from === first.from)) {
      const rows = await this.#table.read(this.tenure.slot, first.from, last.from);
      const pieces: Piece[] = [];
      // Its bodies are small as they are stored. The next read asks again for what is left out.
      let room = MOST_BODY_BYTES;
      for (const { seq, events: count, body } of rows) {
        if (room <= 0) break;
        const events = await decodeBody(body, count);
        room -= events?.bytes.length ?? 0;
        if (events) pieces.push({ from: seq, ...events });
        else isDamaged ||= seq === first.from;
      }
      this.#pieces = pieces;
      const { epoch, slot } = this.tenure;
      if (isDamaged) await this.#table.setAside({ slot, epoch, seq: first.from });
    }
    const events = joinPieces(span, limit, first ? this.#pieces : []);
    const count = events.ends.length;
    if (count > 0) return { events, to: span.from + count, isDamaged };
    const end = first?.to ?? this.parcels.next(span.from)?.from ?? span.to;
    return { events, to: Math.min(span.to, end), isDamaged };
  }

  release(span: Span): Release[] {
    return this.parcels.release(span).map((parcel) => this.#releaseOf(parcel));
  }

  forget(span: Span): void {
    for (const parcel of this.parcels.release(span))
      if (parcel.rest.length === 0) this.parcels.remove(parcel);
  }

  letGo(): void {
    this.#pieces = [];
  }

  #releaseOf(parcel: Parcel): Release {
    const table = this.tenure.isOwn && !parcel.isRepeated ? 'own' : 'parcel';
    const key = { table, tenure: this.tenure, seq: parcel.from } as const;
    const gone = parcel.rest.reduce(outside, [parcel]);
    if (parcel.rest.length > 0) return { ...key, gone, done: () => {} };
    const done = () => {
      this.parcels.remove(parcel);
      this.#pieces = this.#pieces.filter(({ from }) => from !== parcel.from);
    };
    return { ...key, done };
  }
}
