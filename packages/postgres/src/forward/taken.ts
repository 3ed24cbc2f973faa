import { ParcelSegment } from '../parcels/parcel-segment.ts';
import type { ParcelTable } from '../parcels/parcel-table.ts';
import { type Moment, moment, msSince } from '../slots/moment.ts';
import type { Segments } from '../slots/segments.ts';
import type { Tenure } from '../slots/tenure.ts';
import { Bunch } from './bunch.ts';
import type { OutboxRow, OutboxTable } from './outbox-table.ts';

/** What a forwarder knows of a slot that it took. */
export class Taken {
  readonly tenure: Tenure;
  /** Undefined for a slot of the outbox. */
  readonly parcels: { readonly segment: ParcelSegment; readonly number: number } | undefined;
  /** Events of the outbox, by segment number. */
  readonly #bunches = new Map<number, Bunch>();
  /** Of each bunch, the number of its last event among all events that the forwarder has listed. */
  readonly #places = new WeakMap<Bunch, number>();
  readonly #segments: Segments;
  /** Whether it goes to another forwarder once all that is known of it is deleted. */
  isLeaving = false;
  #emptySince: Moment | undefined;

  constructor(tenure: Tenure, table: ParcelTable, segments: Segments) {
    this.tenure = tenure;
    this.#segments = segments;
    if (tenure.outbox !== undefined) return;
    const segment = new ParcelSegment(tenure, table);
    this.parcels = { segment, number: segments.add(segment) };
  }

  /** Whether nothing of it is known. */
  get isEmpty(): boolean {
    const bunches = [...this.#bunches.values()];
    return !this.parcels?.segment.parcels.size && bunches.every(({ keys }) => keys.size === 0);
  }

  /** How many known parcels were listed after a place. */
  parcelsAfter(place: number): number {
    return this.parcels?.segment.parcels.countAfter(place) ?? 0;
  }

  /** How many known events of the outbox were listed after a place, or with one that was. */
  eventsAfter(place: number): number {
    let count = 0;
    for (const bunch of this.#bunches.values())
      if ((this.#places.get(bunch) ?? 0) > place) count += bunch.keys.size;
    return count;
  }

  /** How many bytes they take in memory. */
  get eventBytes(): number {
    return [...this.#bunches.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** The numbers of the known events of the outbox. */
  get eventKeys(): number[] {
    return [...this.#bunches.values()].flatMap(({ keys }) => [...keys]);
  }

  /** Adds events of the outbox. Returns the number of their segment. */
  addBunch(rows: readonly OutboxRow[], table: OutboxTable, place: number): number {
    const bunch = new Bunch(this.tenure, rows, table);
    this.#places.set(bunch, place);
    const number = this.#segments.add(bunch);
    this.#bunches.set(number, bunch);
    return number;
  }

  /** Forgets the bunches of which all events were deleted. */
  tidy(): void {
    for (const [number, { keys }] of this.#bunches) {
      if (keys.size > 0 || this.tenure.isLost) continue;
      this.#bunches.delete(number);
      this.#segments.remove(number);
    }
  }

  /** Whether it is to go back: it has been empty for a while, or goes to another forwarder. */
  isOver(idleMs: number): boolean {
    this.#emptySince = this.isEmpty ? (this.#emptySince ?? moment()) : undefined;
    return this.#emptySince !== undefined && (this.isLeaving || msSince(this.#emptySince) > idleMs);
  }

  /** The slot goes back: nothing of it is known any more. */
  end(): void {
    this.tidy();
    if (this.parcels) this.#segments.remove(this.parcels.number);
  }
}
