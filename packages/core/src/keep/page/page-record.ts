import { promisifyRequest } from 'idb-keyval';
import { type EventBytes, sliceEvents } from '../../base/event-bytes.ts';
import type { Span } from '../../base/range.ts';
import { type Kept, type Piece, RecordList } from '../record-list.ts';

/**
 * The key of a stored record: the life that appended its events, their indexes in it, and their size. Where they are in a request
 * of a page that goes, others leave them alone until a time.
 */
export type EventKey = [life: string, from: number, to: number, bytes: number, ...sentUntil: number[]];
/** The key of a pause. How long it is, from when it was stored, tells a clock that was set back since. */
export type PauseKey = [until: number, failures: number, forMs: number];

/** A tracker in a page: this one, or another one that left records. */
export interface Life {
  readonly id: string;
  readonly segment: number;
  readonly records: RecordList<PageRecord>;
}

/** A record as this page came to know it. Storage has all of it, or what is left of it, in one record or more. */
export interface PageRecord extends Kept {
  readonly life: Life;
  readonly sentUntil: readonly number[];
  /** Whether it is written. */
  isStored: boolean;
}

export function createLife(id: string, segment: number): Life {
  return { id, segment, records: new RecordList() };
}

/** A record as its key says that it is stored, or is to be stored. */
export function createRecord(
  life: Life,
  [, from, to, bytes, ...sentUntil]: EventKey,
  isStored: boolean,
): PageRecord {
  return { life, from, to, bytes, rest: [{ from, to }], sentUntil, isStored };
}

/** What is stored of events: their own memory is used again. */
export function copyPiece(from: number, { bytes, ends, times }: EventBytes): Piece {
  return { from, bytes: new Uint8Array(bytes), ends: ends.slice(), times: times?.slice() };
}

export function keyOf({ id }: Life, { from, bytes, ends }: Piece, sentUntil: readonly number[]): EventKey {
  return [id, from, from + ends.length, bytes.length, ...sentUntil];
}

/** The keys of all that storage may have of a record. */
export function keysOf({ life, from, to }: Span & { readonly life: Pick<Life, 'id'> }): IDBKeyRange {
  return IDBKeyRange.bound([life.id, from], [life.id, to]);
}

/** Leaves in storage what is not released of a record, as far as it is there. Other pages may have released more of it. */
export async function rewrite(objects: IDBObjectStore, record: PageRecord): Promise<void> {
  const { life, rest, sentUntil } = record;
  const keys = keysOf(record);
  const pieces: Piece[] = await promisifyRequest(objects.getAll(keys));
  objects.delete(keys);
  for (const piece of pieces) {
    for (const part of rest) {
      const from = Math.max(part.from, piece.from);
      const maxEvents = Math.min(part.to, piece.from + piece.ends.length) - from;
      if (maxEvents <= 0) continue;
      const limit = { maxEvents, maxBytes: piece.bytes.length };
      const left = copyPiece(from, sliceEvents(piece, from - piece.from, limit));
      objects.put(left, keyOf(life, left, sentUntil));
    }
  }
}
