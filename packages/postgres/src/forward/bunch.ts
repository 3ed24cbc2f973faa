import type { Limit } from '@sluice/core';
import { joinPieces, type Piece, type Span } from '../parcels/pieces.ts';
import type { Found, Release, Segment } from '../slots/segments.ts';
import type { Tenure } from '../slots/tenure.ts';
import type { OutboxRow } from './outbox-table.ts';

interface Event {
  readonly seq: number;
  readonly piece: Piece;
}

const encoder = new TextEncoder();

/** Events of the outbox that were taken together. The index of an event is its place among them. They stay in memory. */
export class Bunch implements Segment {
  readonly tenure: Tenure;
  bytes = 0;
  /** Undefined once an event is released. */
  readonly #events: (Event | undefined)[];
  /** The numbers of all that were not deleted yet. */
  readonly keys: Set<number>;

  constructor(tenure: Tenure, rows: readonly OutboxRow[]) {
    this.tenure = tenure;
    this.keys = new Set(rows.map(({ seq }) => seq));
    this.#events = rows.map(({ seq, body }, from) => {
      const bytes = encoder.encode(body);
      this.bytes += bytes.length;
      return { seq, piece: { from, bytes, ends: Uint32Array.of(bytes.length) } };
    });
  }

  async read(span: Span, limit: Limit): Promise<Found> {
    const pieces: Piece[] = [];
    for (const event of this.#events.slice(span.from, Math.min(span.to, span.from + limit.maxEvents))) {
      if (!event) break;
      pieces.push(event.piece);
    }
    const events = joinPieces(span, limit, pieces);
    const { length: count } = events.ends;
    if (count > 0) return { events, to: span.from + count, isDamaged: false };
    const next = this.#events.findIndex((event, index) => event && index >= span.from);
    return { events, to: next < 0 ? span.to : Math.min(span.to, next), isDamaged: false };
  }

  forget(span: Span): void {
    for (const { done } of this.release(span)) done();
  }

  release({ from, to }: Span): Release[] {
    const released: Release[] = [];
    for (let index = from; index < Math.min(to, this.#events.length); index += 1) {
      const event = this.#events[index];
      if (!event) continue;
      this.#events[index] = undefined;
      this.bytes -= event.piece.bytes.length;
      const done = () => void this.keys.delete(event.seq);
      released.push({ table: 'outbox', tenure: this.tenure, seq: event.seq, done });
    }
    return released;
  }
}
