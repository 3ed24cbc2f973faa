import { Alarm } from '../../base/alarm.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { encodeEvents, type Limit, splitEvents } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { allOf, type Range } from '../../base/range.ts';
import { type Journal, syncCopies } from '../../keep/journal.ts';
import type { Refusal } from '../../send/parcel-trial.ts';
import type { Parcel } from '../../wait/parcel.ts';
import { Places } from '../../wait/places.ts';
import type { Waiting } from '../../wait/waiting.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import { writeLetter } from './dead-letter.ts';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';

/** Bytes that a letter takes in storage beside its own, including the start of a new file. */
const OVERHEAD_BYTES = 64;
/** Bytes that the note of its release may take later. */
const NOTE_BYTES = 12;

/** The oldest letters are checked this many times within `maxAgeMs`, at an interval within the two bounds below. */
const EXPIRY_CHECKS = 20;
const LEAST_CHECK_MS = 1_000;
const MOST_CHECK_MS = 60 * 60_000;

/** For each segment, the letters that are not read yet. */
type Left = Map<number, { from: number; readonly to: number }>;

interface StoredLetter {
  readonly key: Range;
  readonly text: string;
}

/** Keeps dead letters within limits: the oldest are dropped first. */
export class LetterArchive extends Shelf {
  readonly #isDenied: () => boolean;
  /** Runs until the next check of the oldest letters. Stopped once the archive is closed. */
  readonly #check = new Alarm(this.options.clock, () => {
    void this.use(() => this.tidy())
      .catch(this.options.reporter.storageFailed)
      .then(() => this.#watch());
  });

  /** @param isDenied Whether consent is denied now. */
  constructor(options: ShelfOptions, isDenied: () => boolean = () => false) {
    const { reporter } = options;
    const ended = (fate: Fate, count: number) => {
      const reason = fate === 'journal-full' ? 'full' : fate;
      if (count > 0 && (reason === 'full' || reason === 'expired' || reason === 'denied'))
        reporter.emit('deadLettersDropped', { reason, count });
    };
    super(options, ended, () => {
      // Their process has ended since the denial.
      if (isDenied() && !this.#check.isStopped) void this.clear('denied').catch(reporter.storageFailed);
    });
    this.#isDenied = isDenied;
  }

  keep({ events }: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void> {
    return this.turns.take(async () => {
      const { clock, journal } = this.options;
      const now = clock.now();
      const letter = encodeEvents([writeLetter(events.bytes, refusal, now)], [now]);
      await this.open();
      if (!(await this.#makeRoom(letter.bytes.length + OVERHEAD_BYTES))) return this.ended('journal-full', 1);
      const range = await journal.append(letter);
      await syncCopies(journal, range);
      this.add(range);
    });
  }

  override use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#check.isStopped)
      return Promise.reject(new ClosedError('dead letters were asked for after close()'));
    return super.use(work);
  }

  override add(range: Range): void {
    super.add(range);
    this.#watch();
  }

  override async tidy(): Promise<void> {
    await super.tidy();
    await this.#makeRoom(0);
  }

  override close(): Promise<void> {
    this.#check.stop();
    return super.close();
  }

  /**
   * What `tracker.deadLetters` is.
   * @param journal That of the events: a replay appends to it.
   */
  deadLetters(
    journal: Pick<Journal, 'groupLimit'>,
    waiting: Pick<Waiting, 'replay'>,
    wake: () => void,
  ): DeadLetters {
    const { clock, reporter } = this.options;
    return createDeadLetters<Range>(reporter, {
      bytes: () => this.journal.bytes,
      count: () => this.use(async () => this.kept.count),
      // Dead letters that are read together are replayed together: read as many as fit one append.
      visit: (work) => this.visit(journal.groupLimit, work),
      drop: (letters) => this.remove(letters),
      replay: async (letters) => {
        const count = letters.length;
        if (count === 0) return 0;
        if (this.#isDenied()) {
          // They are still there: consent was denied just now, or they could not be deleted then.
          this.ended('denied', await this.remove(letters));
          return 0;
        }
        const now = clock.now();
        const texts = letters.map(({ event }) => event);
        const times = letters.map(() => now);
        await waiting.replay(encodeEvents(texts, times), () => {
          reporter.recovered('replayed', count);
          wake();
        });
        // The events are in the journal. If a letter cannot be deleted, a later process finds it again.
        await this.remove(letters).catch(reporter.storageFailed);
        return count;
      },
      clear: () => this.clear('delivered'),
    });
  }

  /** For `deadLetters()`: reads as many at once as the limit allows. */
  async *visit<Result>(
    limit: Limit,
    work: (letters: readonly StoredLetter[]) => Promise<Result>,
  ): AsyncGenerator<Result, void, undefined> {
    const left: Left = await this.use(
      async () => new Map(this.kept.ranges.map(({ segment, to }) => [segment, { from: 0, to }])),
    );
    for (;;) {
      const done = await this.use(async () => {
        const letters = await this.#read(left, limit);
        return letters.length > 0 && { result: await work(letters) };
      });
      if (!done) return;
      yield done.result;
    }
  }

  /** Deletes letters that were read together. Returns how many. */
  async remove(letters: readonly Pick<StoredLetter, 'key'>[]): Promise<number> {
    const gone = new Set(letters.map(({ key }) => nameOf(key)));
    const segments = new Set(letters.map(({ key }) => key.segment));
    const left = new Places();
    // One pass over the segments, because `cut` makes a new list for each range.
    for (const kept of this.kept.ranges) {
      if (!segments.has(kept.segment)) left.add(kept);
      else
        for (let { from } = kept; from < kept.to; from += 1) {
          const letter = { segment: kept.segment, from, to: from + 1 };
          if (!gone.has(nameOf(letter))) left.add(letter);
        }
    }
    this.kept = left;
    const ranges = new Places(...letters.map(({ key }) => key)).ranges;
    await Promise.all(ranges.map((range) => this.journal.acknowledge(range)));
    return letters.length;
  }

  /** Reads the next letters. None at the end. */
  async #read(left: Left, { maxEvents, maxBytes }: Limit): Promise<StoredLetter[]> {
    const letters: StoredLetter[] = [];
    let bytes = 0;
    for (const { segment, ...kept } of this.kept.ranges) {
      const span = left.get(segment);
      if (!span) continue;
      const to = Math.min(kept.to, span.to);
      for (span.from = Math.max(span.from, kept.from); span.from < to; ) {
        if (letters.length >= maxEvents) return letters;
        const limit = { maxEvents: maxEvents - letters.length, maxBytes: maxBytes - bytes };
        const { events, range } = await this.read({ segment, from: span.from, to }, limit);
        for (const text of splitEvents(events)) {
          bytes += text.length;
          if (letters.length > 0 && bytes > maxBytes) return letters;
          const key = { segment, from: span.from, to: span.from + 1 };
          letters.push({ key, text: new TextDecoder().decode(text) });
          span.from += 1;
        }
        span.from = range.to;
      }
    }
    return letters;
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

  #watch(): void {
    if (this.kept.count === 0) return;
    const checkMs = Math.ceil(Math.max(LEAST_CHECK_MS, this.options.maxAgeMs / EXPIRY_CHECKS));
    this.#check.set(Math.min(MOST_CHECK_MS, checkMs));
  }
}

function nameOf({ segment, from }: Range): string {
  return `${segment} ${from}`;
}
