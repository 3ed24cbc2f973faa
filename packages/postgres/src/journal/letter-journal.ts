import type { Range } from '@sluice/core';
import type { Database } from '../database/database.ts';
import { ParcelSegment } from '../parcels/parcel-segment.ts';
import type { Timing } from './options.ts';
import { TableJournal } from './table-journal.ts';

/** All letters are known: the tracker bounds their size, and drops the oldest. */
const ALL_PARCELS = 1_000_000;
/** Nothing waits for the letters of other trackers: it looks for them so many times less often than for events. */
const LESS_OFTEN = 15;

/** Keeps the dead letters of a tracker, each as a parcel, in slots that hold nothing else. */
export class LetterJournal extends TableJournal {
  constructor(database: Database, compress: boolean, timing: Timing) {
    const pollMs = timing.mostPollMs * LESS_OFTEN;
    super({
      ...timing,
      leastPollMs: pollMs,
      mostPollMs: pollMs,
      database,
      compress,
      part: 'dead-letters',
      mostParcels: ALL_PARCELS,
      send: true,
      outbox: false,
      notify: false,
    });
  }

  /**
   * A power cut that takes a commit takes all later ones too. So it takes no letter without the release of its event, whatever
   * `synchronous_commit` says.
   */
  override async sync(): Promise<void> {}

  /** Gives up the oldest letter. */
  async evictOldest(): Promise<true | undefined> {
    const oldest = this.#oldest();
    if (!oldest) return undefined;
    this.observer?.settled?.(oldest, 'journal-full');
    await this.acknowledge(oldest);
    return true;
  }

  /** Each slot is in the order of time. */
  #oldest(): Range | undefined {
    let oldest: (Range & { readonly at: number }) | undefined;
    for (const [number, segment] of this.segments.owned) {
      const first = segment instanceof ParcelSegment ? segment.parcels.next(0) : undefined;
      if (first && (!oldest || (first.at ?? 0) < oldest.at))
        oldest = { segment: number, from: first.from, to: first.to, at: first.at ?? 0 };
    }
    return oldest;
  }
}
