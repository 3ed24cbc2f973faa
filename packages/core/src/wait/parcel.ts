import { type EventBytes, type Limit, splitEvents } from '../base/event-bytes.ts';
import { allOf, type Span } from '../base/range.ts';
import type { Contents } from './contents.ts';
import { Places } from './places.ts';

/** What a request carries of a parcel. */
export type Batch = Pick<Parcel, 'body' | 'texts'>;

/**
 * What travels: consecutive events, up to one batch of them, and where the journal has them. In memory they are the body of a
 * request. A stored parcel may have more events than a batch; what is read of it is a parcel of its own.
 */
export class Parcel {
  /** Whether its events are delivered, dead letters or dropped, or go on in other parcels. */
  isEnded = false;
  /** Whether the sender has it, or had it since it was last read. It is joined with no others: it goes again with the same bytes. */
  wasTaken = false;
  /** Aborts when consent is denied to send it. Undefined until the sender takes it. */
  denied: AbortSignal | undefined;
  /** Whether its events wait for no others, and are given up last. */
  readonly isHigh: boolean;
  epoch: number;
  /** Whether its event is probably at fault: no other waits for it, and it is given up last. */
  isAlone = false;
  /** The lanes of its customers, one bit for each; 0 if lanes do not matter. No other parcel with one of them is sent meanwhile. */
  lanes = 0;
  /** When its oldest event was accepted, or a time before that, in milliseconds since 1970; undefined if unknown. */
  at: number | undefined;
  readonly places: Places;
  #contents: Contents | undefined;
  #body: Uint8Array | undefined;

  /** @param contents Undefined if only the journal has the events. */
  constructor(
    places: Places,
    epoch: number,
    isHigh: boolean,
    contents?: Contents,
    at: number | undefined = contents?.timeOf(0),
  ) {
    this.places = places;
    this.epoch = epoch;
    this.isHigh = isHigh;
    this.#contents = contents;
    this.at = at;
  }

  get count(): number {
    return this.places.count;
  }

  /** Bytes of its events in memory, and of the commas between them. */
  get bytes(): number {
    return this.#contents?.length ?? 0;
  }

  /** Whether the journal has all its events. */
  get isWritten(): boolean {
    return this.places.volatile === 0;
  }

  /** Whether an append of its events is in progress. */
  get isHanded(): boolean {
    return this.places.has(Places.HANDED);
  }

  get isInMemory(): boolean {
    return this.#contents !== undefined;
  }

  /** The events in memory. Throws if there are none. */
  get contents(): Contents {
    if (!this.#contents) throw new Error('not in memory');
    return this.#contents;
  }

  get events(): EventBytes {
    return this.contents.events;
  }

  get texts(): Uint8Array[] {
    return splitEvents(this.events);
  }

  /** The body of the request. Made once: a parcel that is sent again has the same bytes. */
  get body(): Uint8Array {
    this.#body ??= this.contents.enclose();
    return this.#body;
  }

  /** Some of its events as a parcel with memory of its own. An append in progress is not for the new parcel. */
  cut(span: Span): Parcel {
    const places = this.places.slice(span);
    places.markAll(allOf(Places.HANDED), Places.NOWHERE);
    const contents = this.#contents?.copy(this.#contents.slice(span.from, span.to));
    const part = new Parcel(places, this.epoch, this.isHigh, contents);
    part.at ??= this.at;
    part.lanes = this.lanes;
    part.wasTaken = this.wasTaken;
    return part;
  }

  remove({ from, to }: Span): void {
    const { count } = this;
    this.places.remove({ from, to });
    if (!this.#contents || this.count === 0) return;
    this.#contents = this.#contents.copy(this.#contents.slice(0, from), this.#contents.slice(to, count));
    this.#body = undefined;
  }

  /** Hands its next unwritten events to the journal, within the limit. Undefined if there are none. */
  hand({ maxEvents, maxBytes }: Limit): EventBytes | undefined {
    const [span] = this.places.marked(Places.NOWHERE);
    if (!span) return undefined;
    const { from } = span;
    const events = this.contents.slice(from, Math.min(span.to, from + maxEvents), maxBytes);
    this.places.mark({ from, to: from + events.ends.length }, Places.HANDED);
    return events;
  }

  /** Leaves the events to the journal, which has all of them. */
  store(): void {
    // A request that got no answer may still read the body.
    if (!this.#body) this.#contents?.release();
    this.#contents = undefined;
    this.#body = undefined;
    this.wasTaken = false;
    this.isAlone = false;
  }

  /** The first events of a stored parcel were read: takes them into memory. Returns their parcel, which may be this one. */
  load(contents: Contents): Parcel {
    const { count } = contents;
    const part = count < this.count ? this.cut({ from: 0, to: count }) : this;
    part.#contents = contents;
    part.at = contents.timeOf(0) ?? part.at;
    if (part === this) return this;
    this.remove({ from: 0, to: count });
    return part;
  }
}
