import { Alarm } from '../../base/alarm.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { encodeEvents } from '../../base/event-bytes.ts';
import { allOf, type Range } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import { syncCopies } from '../../keep/journal.ts';
import type { LetterStore } from '../../send/delivery.ts';
import type { Refusal } from '../../send/trials.ts';
import type { Parcel } from '../../wait/parcel.ts';
import { Places } from '../../wait/places.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import { writeLetter } from './dead-letter.ts';

/** Bytes that a letter takes in storage beside its own, including the start of a new file. */
const OVERHEAD_BYTES = 64;
/** Bytes that the note of its release may take later. */
const NOTE_BYTES = 12;

/** The oldest letters are checked this many times within `maxAgeMs`, at an interval within the two bounds below. */
const EXPIRY_CHECKS = 20;
const LEAST_CHECK_MS = 1_000;
const MOST_CHECK_MS = 60 * 60_000;

/** Keeps dead letters, oldest first, within limits: the oldest are dropped first. One task runs at a time. */
export class LetterArchive extends Shelf implements LetterStore {
  readonly #mayHold: () => Promise<boolean>;
  readonly #turns = new Turns();
  /** Runs until the next check of the oldest letters. */
  readonly #check = new Alarm(this.options.clock, () => {
    void this.use(() => this.tidy())
      .catch(this.options.reporter.storageFailed)
      .then(() => this.#watch());
  });
  #isClosed = false;

  /** @param mayHold Whether the journal may hold something. If not, opening it would create its place in storage. */
  constructor(options: ShelfOptions, mayHold: () => Promise<boolean>) {
    super(options, (fate, count) => {
      const reason = fate === 'journal-full' ? 'full' : fate;
      if (count > 0 && (reason === 'full' || reason === 'expired' || reason === 'denied'))
        options.reporter.emit('deadLettersDropped', { reason, count });
    });
    this.#mayHold = mayHold;
  }

  keep(batch: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void> {
    return this.#turns.take(() => this.#keep(batch, refusal));
  }

  override async look(): Promise<void> {
    if (this.opened !== undefined || (await this.#mayHold())) await this.open();
  }

  override use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new ClosedError('dead letters were asked for after close()'));
    return this.#turns.take(() => super.use(work));
  }

  override add(range: Range): void {
    super.add(range);
    this.#watch();
  }

  /** Drops letters beyond the limits, and sorts the others. */
  override async tidy(): Promise<void> {
    await super.tidy();
    const oldest = new Map<number, number>();
    for (const range of this.kept.ranges) {
      if (oldest.has(range.segment)) continue;
      const { events } = await this.journal.read(range, { maxEvents: 1, maxBytes: 0 });
      oldest.set(range.segment, events.times?.[0] || 0);
    }
    const now = this.options.clock.now();
    const timeOf = ({ segment }: Range) => oldest.get(segment) ?? now;
    const ranges = this.kept.ranges.sort((one, other) => timeOf(one) - timeOf(other));
    this.kept = new Places();
    for (const range of ranges) this.kept.add(range);
    await this.#makeRoom(0);
  }

  override close(): Promise<void> {
    this.#isClosed = true;
    this.#check.cancel();
    return this.#turns.take(() => super.close());
  }

  async #keep({ events }: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void> {
    const { clock, journal } = this.options;
    const now = clock.now();
    const letter = encodeEvents([writeLetter(events.bytes, refusal, now)], [now]);
    await this.open();
    if (!(await this.#makeRoom(letter.bytes.length + OVERHEAD_BYTES))) {
      this.ended('journal-full', 1);
      return;
    }
    const range = await journal.append(letter);
    await syncCopies(journal, range);
    this.add(range);
  }

  /** Drops the oldest letters until there is room. Returns false if there is too little room, whatever is dropped. */
  async #makeRoom(bytes: number): Promise<boolean> {
    const { journal, maxBytes } = this.options;
    // A letter that can never fit must not push out all others.
    if (bytes > maxBytes) return false;
    while (journal.bytes + NOTE_BYTES * this.kept.count + bytes > maxBytes) {
      const segment = await journal.evictOldest?.();
      if (segment === undefined) return false;
      if (segment !== true) this.forget(allOf(segment), 'journal-full');
    }
    return true;
  }

  /** Sets the timer for the next check of the oldest letters. */
  #watch(): void {
    if (this.#isClosed || this.kept.count === 0) return;
    const checkMs = Math.ceil(Math.max(LEAST_CHECK_MS, this.options.maxAgeMs / EXPIRY_CHECKS));
    this.#check.set(Math.min(MOST_CHECK_MS, checkMs));
  }
}
