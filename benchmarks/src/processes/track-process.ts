// Measures the cost of one track() for its caller, in a loop without interruptions, or that of JSON.stringify of a whole event.
import { bareEventText } from '../workload/bare-event.ts';
import { sampleEvent } from '../workload/sample-event.ts';
import type { TrackSettings, TrackTold } from './measured-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker } from './tracker.ts';

const FLUSH_TIMEOUT_MS = 120_000;

const { subject, baseUrl, journalDirectory, warmUp, events } = await receiveSettings<TrackSettings>();
const nsPerEvent = subject === 'stringify' ? measureStringify() : await measureTracker();
tell<TrackTold>({ type: 'measured', nsPerEvent });
takeLeave();

async function measureTracker(): Promise<number> {
  const tracker = openTracker(baseUrl, journalDirectory);
  const track = (number: number) => {
    const { name, payload, correlationValue } = sampleEvent(number);
    tracker.track(name, payload, { correlationValue });
  };
  timePerEvent(warmUp, track);
  await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
  const nsPerEvent = timePerEvent(events, track);
  await tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS });
  await tracker.close();
  return nsPerEvent;
}

function measureStringify(): number {
  // Keep the texts for a while, as any buffer does: a text that is dropped at once costs no memory. Reading a character flattens
  // the text, as writing it would do: the result of JSON.stringify may still be in pieces.
  let texts: string[] = [];
  let codes = 0;
  const make = (number: number) => {
    const text = bareEventText(sampleEvent(number));
    codes += text.charCodeAt(0);
    texts.push(text);
  };
  timePerEvent(warmUp, make);
  texts = [];
  const nsPerEvent = timePerEvent(events, make);
  if (codes === 0) throw new Error('no text was made');
  return nsPerEvent;
}

function timePerEvent(count: number, track: (number: number) => void): number {
  const startedAt = process.hrtime.bigint();
  for (let number = 0; number < count; number += 1) track(number);
  return Number(process.hrtime.bigint() - startedAt) / count;
}
