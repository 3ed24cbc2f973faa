import { bareEventText } from './bare-event.ts';
import { SAMPLES, sampleEvent } from './sample-event.ts';

/** Bytes that an event of the workload takes as JSON, on average. */
export function averageBytes(): number {
  let bytes = 0;
  for (let number = 0; number < SAMPLES; number += 1)
    bytes += Buffer.byteLength(bareEventText(sampleEvent(number)));
  return Math.round(bytes / SAMPLES);
}
