import type { EventBytes, Limit } from '@sluice/core';
import type { Span } from '../parcels/pieces.ts';
import { type Moment, moment, msSince } from './moment.ts';
import type { Tenure } from './tenure.ts';

/** A row that a release deletes, or of which it notes a part as gone. */
export interface Release {
  /** An own parcel is one that this journal inserted, once. A stray is one of which it is unknown whether it is stored. */
  readonly table: 'own' | 'parcel' | 'outbox' | 'stray';
  readonly tenure: Tenure;
  readonly seq: number;
  /** Of the text of an event of the outbox. */
  readonly hash?: string;
  /** The events of it that are released by now, if others of it wait. */
  readonly gone?: readonly Span[];
  /** The table has it no more. */
  done(): void;
}

/** What a read found at the start of a span. */
export interface Found {
  readonly events: EventBytes;
  /** Where the events end. If there are none: up to where nothing is to be found. */
  readonly to: number;
  /** Whether a row is there that is not intact. */
  readonly isDamaged: boolean;
}

/** Events of one slot to which the tracker refers by one segment number. */
export interface Segment {
  readonly tenure: Tenure;
  /** Bytes of the rows that are not released. */
  readonly bytes: number;
  read(span: Span, limit: Limit): Promise<Found>;
  /** Releases events. Returns what is to be done for that in the tables. */
  release(span: Span): Release[];
  /** Another forwarder sees to these events. */
  forget(span: Span): void;
  /** Its slot is lost: nothing is read of it any more. */
  letGo(): void;
}

/** The answers to requests that were pending when a slot was lost come within this time. */
const REMEMBERED_MS = 600_000;

/** The segments of a journal, by their numbers. */
export class Segments {
  readonly #all = new Map<number, Segment>();
  readonly #lostAt = new Map<number, Moment>();
  #last = 0;

  /** Gives a segment its number. */
  add(segment: Segment): number {
    this.#last += 1;
    this.#all.set(this.#last, segment);
    return this.#last;
  }

  get(number: number): Segment | undefined {
    return this.#all.get(number);
  }

  /** All of it is released. */
  remove(number: number): void {
    this.#all.delete(number);
    this.#lostAt.delete(number);
  }

  get bytes(): number {
    return this.owned.reduce((bytes, [, segment]) => bytes + segment.bytes, 0);
  }

  /** Those of slots that were not lost, with their numbers. */
  get owned(): [number: number, segment: Segment][] {
    return [...this.#all].filter(([, { tenure }]) => !tenure.isLost);
  }

  /** The segments of slots that were lost, some of them long ago. */
  takeLost(): number[] {
    for (const [number, segment] of this.#all) {
      if (!segment.tenure.isLost || this.#lostAt.has(number)) continue;
      segment.letGo();
      this.#lostAt.set(number, moment());
    }
    const lost = [...this.#lostAt];
    for (const [number, at] of lost) if (msSince(at) > REMEMBERED_MS) this.remove(number);
    return lost.map(([number]) => number);
  }
}
