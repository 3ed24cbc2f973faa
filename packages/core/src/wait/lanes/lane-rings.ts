import type { Parcel } from '../parcel.ts';
import { RingBuffer, type RingBufferOptions } from '../ring-buffer.ts';
import { free } from './free.ts';
import { ALL_LANES, LANES, STEP } from './lane.ts';
import type { Ring } from './ring.ts';

/** Recovered parcels go so much before the events of this process: before all of them. */
const BEFORE = 2 ** 52;

/**
 * Ring buffers that share their bounds: one for all lanes while less than a batch waits, so that batches fill soon. Otherwise one
 * for each lane, so that the events of one lane need not wait for those of others.
 */
export class LaneRings implements Ring {
  readonly #options: RingBufferOptions;
  /** That of all lanes first. */
  readonly #rings: readonly RingBuffer[];
  /** The newest parcel of each. */
  readonly #newest: (Parcel | undefined)[] = [];
  readonly #ringOf = new WeakMap<Parcel, RingBuffer>();
  #areApart = false;
  #count = 0;
  /** Bytes of the events: of the newest ones it counts the characters. */
  #roughBytes = 0;
  /** The order of the next event. */
  #order = 0;

  constructor(options: RingBufferOptions, onSealed: (parcel: Parcel) => void) {
    this.#options = options;
    const limit = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };
    this.#rings = Array.from({ length: LANES + 1 }, (_, index) => {
      const onNew = (parcel: Parcel) => {
        parcel.order = this.#order;
        this.#newest[index] = parcel;
        this.#ringOf.set(parcel, ring);
      };
      const ring = new RingBuffer({ ...options, limit, onNew }, onSealed);
      return ring;
    });
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  get roughBytes(): number {
    return this.#roughBytes;
  }

  get first(): Parcel | undefined {
    return oldest(this.#rings.map(({ first }) => first));
  }

  get filling(): Parcel | undefined {
    return oldest(this.#rings.map(({ filling }) => filling));
  }

  /** All parcels, ring by ring. */
  get parcels(): Iterable<Parcel> {
    return this.#rings.flatMap(({ parcels }) => [...parcels]);
  }

  /**
   * The parcels that may be sent, all of the oldest lane first. If requests had a little of each lane, few of them would keep all
   * lanes busy.
   */
  *free(busy: number, mayGo: (parcel: Parcel) => boolean): Generator<Parcel, undefined> {
    const [shared, ...others] = this.#rings;
    // What is in the ring of all lanes is older than what is in the others.
    const lanes = yield* free(shared?.parcels ?? [], busy, mayGo);
    const firsts = others.flatMap((ring, lane) => ((lanes >>> lane) & 1 ? [] : (ring.first ?? [])));
    for (const first of firsts.sort((one, other) => one.order - other.order))
      for (const parcel of this.#ringOf.get(first)?.parcels ?? []) {
        if (!mayGo(parcel)) break;
        yield parcel;
      }
  }

  recovered(parcel: Parcel): void {
    parcel.lanes = ALL_LANES;
    parcel.order = this.#order - BEFORE;
    this.#order += STEP * parcel.count;
  }

  push(text: string, time: number, lane: number): boolean {
    const { limit, parcel, text: writer } = this.#options;
    const bytes = this.#roughBytes + writer.byteLength(text) + 1;
    if (this.#count >= limit.maxEvents || bytes > limit.maxBytes) return false;
    if (this.#count === 0) this.#areApart = false;
    else if (this.#count > parcel.maxEvents || bytes > parcel.maxBytes) this.#areApart = true;
    const index = this.#areApart ? lane + 1 : 0;
    this.#rings[index]?.push(text, time);
    const newest = this.#newest[index];
    if (newest) newest.lanes |= 1 << lane;
    this.#order += STEP;
    this.#count += 1;
    this.#roughBytes = bytes;
    return true;
  }

  seal(): void {
    for (const ring of this.#rings) ring.seal();
  }

  remove(parcel: Parcel): void {
    this.#ringOf.get(parcel)?.remove(parcel);
    this.#recount();
  }

  unshift(rest: Parcel, parcel: Parcel): void {
    const ring = this.#ringOf.get(parcel);
    if (ring === undefined) return;
    ring.unshift(rest);
    this.#ringOf.set(rest, ring);
    this.#recount();
  }

  recount(): void {
    for (const ring of this.#rings) ring.recount();
    this.#recount();
  }

  #recount(): void {
    this.#count = this.#sum(({ count }) => count);
    this.#roughBytes = this.#sum(({ roughBytes }) => roughBytes);
  }

  #sum(value: (ring: RingBuffer) => number): number {
    let sum = 0;
    for (const ring of this.#rings) sum += value(ring);
    return sum;
  }
}

function oldest(parcels: readonly (Parcel | undefined)[]): Parcel | undefined {
  let oldest: Parcel | undefined;
  for (const parcel of parcels)
    if (parcel && parcel.order <= (oldest?.order ?? parcel.order)) oldest = parcel;
  return oldest;
}
