import { Alarm } from '../../base/alarm.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import type { Range } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { Refusal } from '../../send/letterbox.ts';
import type { Batch } from '../../wait/parcel.ts';
import { Places } from '../../wait/places.ts';
import type { ShelfOptions } from '../shelf.ts';
import { LetterKeeper } from './letter-keeper.ts';

/** The oldest letters are checked this many times within `maxAgeMs`, at an interval within the two bounds below. */
const EXPIRY_CHECKS = 20;
const LEAST_CHECK_MS = 1_000;
const MOST_CHECK_MS = 60 * 60_000;

/** Keeps dead letters that can be read, oldest first. Drops in time those that are too old. One task runs at a time. */
export class LetterArchive extends LetterKeeper {
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
    super(options);
    this.#mayHold = mayHold;
  }

  override keep(batch: Pick<Batch, 'events'>, refusal: Refusal): Promise<void> {
    return this.#turns.take(() => super.keep(batch, refusal));
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
    await this.makeRoom(0);
  }

  override close(): Promise<void> {
    this.#isClosed = true;
    this.#check.cancel();
    return this.#turns.take(() => super.close());
  }

  /** Sets the timer for the next check of the oldest letters. */
  #watch(): void {
    if (this.#isClosed || this.kept.count === 0) return;
    const checkMs = Math.ceil(Math.max(LEAST_CHECK_MS, this.options.maxAgeMs / EXPIRY_CHECKS));
    this.#check.set(Math.min(MOST_CHECK_MS, checkMs));
  }
}
