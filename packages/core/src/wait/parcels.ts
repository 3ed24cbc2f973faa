import type { Limit } from '../base/event-bytes.ts';
import { allOf, type Range, rangeLength, without } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Handed, Unwritten } from '../keep/unwritten.ts';
import { Epochs } from '../tell/epochs.ts';
import type { Line } from './line.ts';
import type { Parcel } from './parcel.ts';
import { Places } from './places.ts';
import type { Queue } from './queue.ts';

/** All parcels of a tracker, wherever they are. */
export class Parcels implements Unwritten {
  /** The line that goes first is first. */
  readonly lines: Line[] = [];
  protected readonly epochs: Epochs = new Epochs();
  readonly #journal: Journal;
  readonly #onFailed: (error: unknown) => void;
  /** Where events were whose copies are not synced yet. */
  readonly #moved: Range[] = [];
  #givenUp = 0;

  /** @param onFailed What must not be dropped could not be copied. */
  constructor(journal: Journal, onFailed: (error: unknown) => void) {
    this.#journal = journal;
    this.#onFailed = onFailed;
  }

  /** Number of events, those in requests included. */
  get pending(): number {
    return this.#sum(({ old, ring }) => old.count + ring.count) + this.inFlight - this.#givenUp;
  }

  /** Number of events that no journal has. */
  get volatile(): number {
    return volatileOf(this.all());
  }

  /** Number of events that wait in the journal, outside of the ring buffers. */
  get stored(): number {
    return this.#sum(({ old }) => old.count - volatileOf(old));
  }

  /** Number of events that the sender has. */
  get inFlight(): number {
    let count = 0;
    for (const { out } of this.queues) for (const parcel of out) count += parcel.count;
    return count;
  }

  /** Bytes of the events in the ring buffers. */
  get bytes(): number {
    return this.#sum(({ ring }) => ring.bytes);
  }

  /** When the oldest event was accepted, or a time before that, as far as it is known. */
  get oldestAt(): number | undefined {
    return earliest([...this.all()].map(({ at }) => at));
  }

  get unwrittenParcels(): number {
    return this.#sum(({ unwritten }) => unwritten.size);
  }

  get unwrittenSince(): number | undefined {
    const first = this.queues.map(
      ({ ring, unwritten }) =>
        [...unwritten].find(({ places }) => places.has(Places.NOWHERE)) ?? ring.filling,
    );
    return earliest(first.map((parcel) => parcel && (parcel.at ?? 0)));
  }

  /** All parcels, those in requests first. Leaves out those that have ended and are being released. */
  *all(): Generator<Parcel> {
    for (const { out } of this.queues) for (const parcel of out) if (!parcel.isEnded) yield parcel;
    for (const queue of this.queues) yield* queue.parcels();
  }

  hand(limit: Limit, isUrgent: boolean): Handed | undefined {
    for (const queue of this.queues) {
      const handed = isUrgent && !queue.isHigh ? undefined : queue.hand(limit);
      if (handed) return handed;
    }
    return undefined;
  }

  /** The returned function tells whether all that is accepted by now is written. */
  mark(): () => boolean {
    const epoch = this.#endEpoch();
    return () => this.queues.every((queue) => queue.isWritten(epoch));
  }

  /** Ends an epoch. The returned function resolves once all events of before are settled, or the signal aborts. */
  turn(): (over: AbortSignal) => Promise<void> {
    const epoch = this.#endEpoch();
    return (over) => this.epochs.settled(epoch, over);
  }

  /** What waits of a range ends here; everything, if it is left out. Returns how many events that are. */
  drop(range?: Range): number {
    const spansOf = ({ count, places }: Parcel) => (range ? places.find(range) : [{ from: 0, to: count }]);
    return this.#sum((queue) => queue.end(queue.parcels(), spansOf));
  }

  /** Storage lost the events of a range. Those in memory count as never written; the others end. Returns how many ended. */
  lose(range: Range): number {
    for (const queue of this.queues)
      for (const parcel of [...queue.out, ...queue.parcels()]) {
        if (!parcel.isInMemory) continue;
        parcel.places.markAll(range, Places.NOWHERE);
        queue.changed(parcel);
      }
    return this.drop(range);
  }

  /** The journal gave up a range: what waits in it ends here; what is in requests goes on in memory. Returns how many ended. */
  evict(gone: Range): number {
    for (const { out } of this.queues) for (const { places } of out) places.markAll(gone, Places.FORSAKEN);
    return this.drop(gone);
  }

  hasOnlyAlone(segment: number): boolean {
    let hasAny = false;
    for (const { isAlone, places } of this.all()) {
      if (!places.has(segment)) continue;
      if (!isAlone) return false;
      hasAny = true;
    }
    return hasAny;
  }

  /** Copies those of high priority; of a whole segment, also those that wait alone. Of parts, nobody can tell when only such are left. */
  async rescue(gone: Range, isAll: boolean): Promise<number> {
    const isWhole = gone.to === Number.POSITIVE_INFINITY;
    const last = [...this.all()].filter(({ isAlone, isHigh }) => isAll || (isAlone && isWhole) || isHigh);
    const found = last.flatMap(({ places }) => partsOf(places, gone));
    let bytes = 0;
    try {
      try {
        for (const range of found) bytes += await this.#copy(range);
      } finally {
        await this.#releaseMoved();
      }
    } catch (error) {
      if (isAll) throw error;
      // The events that are left in the segment go with it, and are reported.
      this.#onFailed(error);
    }
    return bytes;
  }

  /** What is in requests goes on in memory only. The journal gets none of it any more. */
  protected forsakeRequests(): void {
    for (const queue of this.queues)
      for (const parcel of queue.out) {
        const { places } = parcel;
        for (const range of [...places.ranges, allOf(Places.NOWHERE)]) places.markAll(range, Places.FORSAKEN);
        queue.changed(parcel);
      }
  }

  /** Nobody can send the events any more that no lasting journal holds: they no longer count as pending. Returns how many. */
  giveUp(): number {
    const { survives, unsaved = 0 } = this.#journal;
    const count = survives ? this.volatile + unsaved : this.pending;
    this.#givenUp += count;
    return count;
  }

  get isGivenUp(): boolean {
    return this.#givenUp > 0;
  }

  protected get queues(): Queue[] {
    return this.lines.map(({ queue }) => queue);
  }

  #sum(count: (queue: Queue) => number): number {
    return this.lines.reduce((total, { queue }) => total + count(queue), 0);
  }

  /** Ends an epoch: all that is accepted by now belongs to it, or to an earlier one. Returns it. */
  #endEpoch(): number {
    for (const { ring } of this.queues) ring.seal();
    return this.epochs.end();
  }

  /** What holds the originals may stay: no process may find events there a second time. */
  async #releaseMoved(): Promise<void> {
    if (this.#moved.length === 0) return;
    await this.#journal.sync();
    const released = this.#moved.splice(0).map(async (range) => this.#journal.acknowledge(range));
    await Promise.allSettled(released);
  }

  async #copy(range: Range): Promise<number> {
    const journal = this.#journal;
    let bytes = 0;
    for (let { from } = range; from < range.to; ) {
      const { events, range: read } = await journal.read({ ...range, from }, journal.groupLimit);
      const count = events.ends.length;
      if (count > 0) {
        // A copy: what was read is valid only until the next reading. Not slice(): that of a Buffer copies nothing.
        const written = await journal.append({ ...events, bytes: new Uint8Array(events.bytes) });
        const moved = { ...range, from, to: from + count };
        // Some may have ended meanwhile: nobody needs their copies.
        let unneeded = [written];
        for (const { places } of this.all()) {
          this.#moved.push(...partsOf(places, moved));
          for (const used of places.move(moved, written))
            unneeded = unneeded.flatMap((part) => without(part, used));
        }
        for (const part of unneeded) await journal.acknowledge(part);
        bytes += events.bytes.length;
      }
      from += Math.max(1, rangeLength(read));
    }
    return bytes;
  }
}

function partsOf(places: Places, range: Range): Range[] {
  return places.find(range).flatMap((span) => places.slice(span).ranges);
}

/** Undefined if no time is known. */
function earliest(times: readonly (number | undefined)[]): number | undefined {
  const first = times.reduce<number>((min, time = min) => Math.min(min, time), Number.POSITIVE_INFINITY);
  return first < Number.POSITIVE_INFINITY ? first : undefined;
}

function volatileOf(parcels: Iterable<Parcel>): number {
  let count = 0;
  for (const { places } of parcels) count += places.volatile;
  return count;
}
