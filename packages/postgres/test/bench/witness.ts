import type { EventBytes, JournalObserver, Range } from '@sluice/core';

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

const encoder = new TextEncoder();

/** Texts as a group. */
export function group(texts: readonly string[]): EventBytes {
  let end = -1;
  const ends = texts.map((text) => {
    end += 1 + encoder.encode(text).length;
    return end;
  });
  return { bytes: encoder.encode(texts.join(',')), ends: Uint32Array.from(ends) };
}
