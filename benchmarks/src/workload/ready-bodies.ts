import { closeSync, openSync, writeSync } from 'node:fs';
import { joinEvents } from '@sluice/protocol';
import { bareEventText } from './bare-event.ts';
import { sampleEvent } from './sample-event.ts';

const BATCH_EVENTS = 500;

/** Writes request bodies of 500 events each into one file, one after the other. Returns the length of each, in bytes. */
export function writeReadyBodies(path: string, events: number): number[] {
  const lengths: number[] = [];
  const file = openSync(path, 'wx');
  for (let from = 0; from < events; from += BATCH_EVENTS) {
    const length = Math.min(BATCH_EVENTS, events - from);
    const texts = Array.from({ length }, (_, index) => bareEventText(sampleEvent(from + index)));
    lengths.push(writeSync(file, joinEvents(texts)));
  }
  closeSync(file);
  return lengths;
}
