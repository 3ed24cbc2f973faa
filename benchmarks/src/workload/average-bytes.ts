import { bareEventText } from './bare-event.ts';
import { SAMPLES, sampleEvent } from './sample-event.ts';

/** Average size of an event of the workload as JSON, in bytes. */
export function averageBytes(): number {
  let bytes = 0;
  for (let number = 0; number < SAMPLES; number += 1)
    bytes += Buffer.byteLength(bareEventText(sampleEvent(number)));
  return Math.round(bytes / SAMPLES);
}
