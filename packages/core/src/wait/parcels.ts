import { type Range, without } from '../base/range.ts';
import type { Line } from './batcher.ts';
import { Epochs } from './epochs.ts';
import type { Parcel } from './parcel.ts';
import type { Queue } from './queue.ts';

/** All parcels of a tracker, wherever they are. */
export abstract class Parcels {
  readonly epochs: Epochs = new Epochs();
  #givenUp = 0;

  /** The line that goes first is first. */
  abstract get lines(): readonly Line[];

  /** Number of events that have not ended, those in requests included. */
  get pending(): number {
    return this.#sum(({ fresh, stored }) => fresh + stored) + this.inFlight - this.#givenUp;
  }

  /** Number of events that no journal has. */
  get volatile(): number {
    return this.#sum(({ ring }) => volatileOf(ring)) + volatileOf(this.#loose);
  }

  /** Number of events that wait in the journal, outside of the ring buffers. */
  get stored(): number {
    let volatile = 0;
    for (const { runs, state } of this.#loose) if (state !== 'out') volatile += runs.volatile;
    return this.#sum(({ stored }) => stored) - volatile;
  }

  get inFlight(): number {
    let count = 0;
    for (const parcel of this.#out) count += parcel.count;
    return count;
  }

  /** Bytes of the events in the ring buffers. */
  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  /** When the oldest event was accepted, or a time before that, as far as it is known. */
  get oldestAt(): number | undefined {
    let oldest = Number.POSITIVE_INFINITY;
    for (const parcel of this.all()) oldest = Math.min(oldest, parcel.at ?? oldest);
    return oldest < Number.POSITIVE_INFINITY ? oldest : undefined;
  }

  /** What waits of a range ends here. Returns how many events that are. */
  drop(range: Range): number {
    let count = 0;
    for (const { queue } of this.lines)
      count += queue.drop(range, (epoch, count) => this.epochs.settle(epoch, count));
    return count;
  }

  /** Events of a range are gone from storage, but in memory: no journal has them any more. */
  lose(range: Range): void {
    for (const { queue } of this.lines) {
      for (const parcel of [...queue.out, ...queue.parcels()]) {
        if (!parcel.isInMemory) continue;
        for (const indexes of parcel.runs.in(range)) parcel.runs.lose(indexes);
        if (!parcel.isFresh && !parcel.isWritten) queue.loose.add(parcel);
      }
      queue.recount();
    }
  }

  /** The journal gave up a segment: what waits in it ends here; what is in requests goes on in memory. Returns how many ended. */
  evict(segment: number): number {
    const gone = { segment, from: 0, to: Number.POSITIVE_INFINITY };
    for (const { queue } of this.lines) {
      for (const parcel of queue.out) {
        for (const indexes of parcel.runs.in(gone)) parcel.runs.forsake(indexes);
        if (!parcel.isWritten) queue.loose.add(parcel);
      }
    }
    return this.drop(gone);
  }

  /** The events of a range: their parcels, where the journal has them, and the index of the first one in its parcel. */
  *within(
    range: Range,
  ): Generator<{ readonly parcel: Parcel; readonly range: Range; readonly from: number }> {
    for (const parcel of [...this.all()])
      for (const { from, to } of parcel.runs.in(range))
        for (const part of parcel.runs.slice(from, to).ranges) yield { parcel, range: part, from };
  }

  /** The journal has the events of a range in another one now. Returns the parts of that which nobody needs. */
  move(range: Range, target: Range): Range[] {
    let rest = [target];
    for (const parcel of this.all())
      for (const found of parcel.runs.move(range, target))
        rest = rest.flatMap((part) => without(part, found));
    return rest;
  }

  /** Nothing will become of `count` events any more: they wait no longer. */
  giveUp(survives: boolean, unsaved: number): number {
    const count = survives ? this.volatile + unsaved : this.pending;
    this.#givenUp += count;
    return count;
  }

  /** The returned function tells whether all that is accepted by now is written. */
  mark(): () => boolean {
    const marks = this.lines.map(({ queue }) => ({ queue, pushed: queue.pushed }));
    return () =>
      marks.every(({ queue, pushed }) => queue.isWritten(pushed)) &&
      this.#loose.every(({ runs }) => runs.unwritten + runs.handed === 0);
  }

  /** All parcels, those in requests first. */
  *all(): Generator<Parcel> {
    yield* this.#out;
    for (const { queue } of this.lines) yield* queue.parcels();
  }

  /** Parcels that the sender has. */
  get #out(): Parcel[] {
    return this.lines.flatMap(({ queue }) => [...queue.out]);
  }

  /** Parcels outside of the ring buffers that may have unwritten events. */
  get #loose(): Parcel[] {
    return this.lines.flatMap(({ queue }) => [...queue.loose]);
  }

  #sum(count: (queue: Queue) => number): number {
    return this.lines.reduce((total, { queue }) => total + count(queue), 0);
  }
}

function volatileOf(parcels: Iterable<Parcel>): number {
  let count = 0;
  for (const { runs } of parcels) count += runs.volatile;
  return count;
}
