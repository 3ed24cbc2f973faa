import type { Tracker } from '@sluice/core';

/** Checks the stats of a tracker: they must add up at every moment, and every drop must have been emitted. */
export class Bookkeeping {
  readonly #tracker: Tracker;
  /** What did not add up, one line each. */
  readonly problems: string[] = [];
  /** Events that were reported as dropped. */
  dropped = 0;
  /** Number of dropped events by reason, for error messages. */
  readonly reasons: Record<string, number> = {};

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    tracker.on('dropped', ({ reason, count }) => {
      this.dropped += count;
      this.reasons[reason] = (this.reasons[reason] ?? 0) + count;
    });
  }

  /** @param when The moment, for the text of a problem. */
  check(when: string): void {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.#tracker.stats();
    const droppedTotal = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const came = accepted + recovered;
    const went = delivered + deadLettered + droppedTotal + pending;
    const books = `${accepted} + ${recovered} = ${delivered} + ${deadLettered} + ${droppedTotal} + ${pending}`;
    if (came !== went) this.problems.push(`${when}: the books do not add up: ${books}`);
    if (droppedTotal !== this.dropped) {
      this.problems.push(`${when}: ${droppedTotal} dropped, ${this.dropped} of them raised`);
    }
    if (deadLettered > 0) this.problems.push(`${when}: ${deadLettered} dead letters`);
  }
}
