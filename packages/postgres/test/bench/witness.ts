import type { JournalObserver, Range } from '@sluice/core';
import { type EventBytes, encodeEvents } from '@sluice/core/event-bytes';

/** An observer that records all calls. */
export class Witness implements JournalObserver {
  readonly ranges: Range[] = [];
  readonly settlements: { readonly range: Range; readonly fate: string }[] = [];
  readonly damages: string[] = [];
  readonly failures: Error[] = [];

  recovered(range: Range): void {
    this.ranges.push(range);
  }

  settled(range: Range, fate: string): void {
    this.settlements.push({ range, fate });
  }

  damaged(place: string): void {
    this.damages.push(place);
  }

  failed(error: Error): void {
    this.failures.push(error);
  }
}

/** Texts as a group, accepted at times that are not known. */
export function group(texts: readonly string[]): EventBytes {
  const { bytes, ends } = encodeEvents(texts, []);
  return { bytes, ends };
}
