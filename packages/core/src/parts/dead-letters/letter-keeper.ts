import { encodeEvents } from '../../base/event-bytes.ts';
import { allOf } from '../../base/range.ts';
import { syncCopies } from '../../keep/journal.ts';
import type { LetterStore, Refusal } from '../../send/letterbox.ts';
import type { Batch } from '../../wait/parcel.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import { writeLetter } from './dead-letter.ts';

/** Bytes that a letter takes in storage beside its own, including the start of a new file. */
const OVERHEAD_BYTES = 64;
/** Bytes that the note of its release may take later. */
const NOTE_BYTES = 12;

/** Keeps dead letters, within limits: the oldest are dropped first. To read them, the dead-letters part is needed. */
export class LetterKeeper extends Shelf implements LetterStore {
  constructor(options: ShelfOptions) {
    super(options, (fate, count) => {
      const reason = fate === 'journal-full' ? 'full' : fate;
      if (count > 0 && (reason === 'full' || reason === 'expired' || reason === 'denied'))
        options.reporter.emit('deadLettersDropped', { reason, count });
    });
  }

  async keep({ events }: Pick<Batch, 'events'>, refusal: Refusal): Promise<void> {
    const { clock, journal } = this.options;
    const now = clock.now();
    const letter = encodeEvents([writeLetter(events.bytes, refusal, now)], [now]);
    await this.open();
    if (!(await this.makeRoom(letter.bytes.length + OVERHEAD_BYTES))) {
      this.ended('journal-full', 1);
      return;
    }
    const range = await journal.append(letter);
    await syncCopies(journal, range);
    this.add(range);
  }

  /** Drops the oldest letters until there is room. Returns false if there is too little room, whatever is dropped. */
  protected async makeRoom(bytes: number): Promise<boolean> {
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
}
