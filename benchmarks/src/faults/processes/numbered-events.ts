import type { Tracker } from '@sluice/core';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import type { Random } from '../random.ts';

const MOST_PADDING = 700;
const PADDING = 'x'.repeat(MOST_PADDING);

/** Tracks the events of one process, numbered from 0 in the order in which they are tracked. */
export class NumberedEvents {
  readonly #tracker: Tracker;
  readonly #life: number;
  readonly #random: Random;
  /** How many events were tracked. */
  tracked = 0;

  constructor(tracker: Tracker, life: number, random: Random) {
    this.#tracker = tracker;
    this.#life = life;
    this.#random = random;
  }

  track(count: number): void {
    for (const end = this.tracked + count; this.tracked < end; this.tracked += 1) {
      const payload = { number: this.tracked, padding: PADDING.slice(0, this.#random(MOST_PADDING)) };
      const uuid = numberedUuid(this.#life, this.tracked);
      this.#tracker.track('numbered', payload, { uuid, correlationValue: 'ada@example.com' });
    }
  }
}
