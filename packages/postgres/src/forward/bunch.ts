import type { Limit } from '@sluice/core';
import { joinPieces, type Piece, type Span } from '../parcels/pieces.ts';
import type { Found, Release, Segment } from '../slots/segments.ts';
import type { Tenure } from '../slots/tenure.ts';
import type { OutboxRow, OutboxTable } from './outbox-table.ts';

interface Event {
  readonly seq: number;
  readonly hash: string;
  readonly size: number;
  /** Undefined once it was read. If it is read again, the table has it. */
  bytes: Uint8Array | undefined;
}

const encoder = new TextEncoder();

/** Events of the outbox that were taken together. The index of an event is its place among them. They stay in memory until they are read. */
export class Bunch implements Segment {
  readonly tenure: Tenure;
  bytes = 0;
  /** Of its events in memory. */
  memoryBytes = 0;
  /** Undefined once an event is released. */
  readonly #events: (Event | undefined)[];
  /** The numbers of all that were not deleted yet. */
  readonly keys: Set<number>;
  readonly #table: OutboxTable;

  constructor(tenure: Tenure, rows: readonly OutboxRow[], table: OutboxTable) {
    this.tenure = tenure;
    this.#table = table;
    this.keys = new Set(rows.map(({ seq }) => seq));
    this.#events = rows.map(({ seq, hash, body }) => {
      const bytes = encoder.encode(body);
      this.bytes += bytes.length;
      return { seq, hash, size: bytes.length, bytes };
    });
    this.memoryBytes = this.bytes;
  }

  async read(span: Span, limit: Limit): Promise<Found> {
    const wanted = this.#within(span, limit);
    const bodies = await this.#bodiesOf(wanted);
    const pieces: Piece[] = [];
    for (const [index, bytes] of bodies.entries()) {
      if (!bytes) break;
      pieces.push({ from: span.from + index, bytes, ends: Uint32Array.of(bytes.length) });
    }
    const events = joinPieces(span, limit, pieces);
    const { length: count } = events.ends;
    for (const event of wanted.slice(0, count)) this.#unload(event);
    if (count > 0) return { events, to: span.from + count, isDamaged: false };
    // The table has the first ones no more.
    const gone = bodies.findIndex((bytes) => bytes);
    const start = span.from + (gone < 0 ? bodies.length : gone);
    const next = this.#events.findIndex((event, index) => event && index >= start);
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
      this.#unload(event);
      this.bytes -= event.size;
      const { hash, seq } = event;
      const done = () => void this.keys.delete(seq);
      released.push({ table: 'outbox', tenure: this.tenure, seq, hash, done });
    }
    return released;
  }

  letGo(): void {
    for (const event of this.#events) if (event) this.#unload(event);
  }

  #unload(event: Event): void {
    this.memoryBytes -= event.bytes?.length ?? 0;
    event.bytes = undefined;
  }

  /** The adjacent events from the start of a span that are not released, as far as they fit the limit: at least one, if there is one. */
  #within({ from, to }: Span, { maxBytes, maxEvents }: Limit): Event[] {
    const found: Event[] = [];
    let room = maxBytes;
    for (const event of this.#events.slice(from, Math.min(to, from + maxEvents))) {
      room -= event?.size ?? 0;
      if (!event || (found.length > 0 && room < 0)) break;
      found.push(event);
    }
    return found;
  }

  async #bodiesOf(events: readonly Event[]): Promise<(Uint8Array | undefined)[]> {
    const read = events.filter(({ bytes }) => !bytes).map(({ seq }) => seq);
    const rows = read.length > 0 ? await this.#table.read(this.tenure, read) : [];
    const bodies = new Map(rows.map((row) => [keyOf(row), encoder.encode(row.body)]));
    return events.map((event) => event.bytes ?? bodies.get(keyOf(event)));
  }
}

function keyOf({ hash, seq }: Pick<OutboxRow, 'hash' | 'seq'>): string {
  return `${seq} ${hash}`;
}
