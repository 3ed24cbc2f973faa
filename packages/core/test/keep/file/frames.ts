import { framesOf as framesOfEvents } from '../../../src/keep/file/format/frame.ts';
import { toEventBytes } from '../../bench/event-texts.ts';

/** The segment of a test's frames, if the test names none. */
export const SEGMENT = { id: 9, baseTime: 0 };

/** Events as frames, numbered from `index`, each accepted a millisecond after the one before. */
export function framesOf(texts: readonly string[], index = 0, { id, baseTime } = SEGMENT): Buffer {
  if (texts.length === 0) return Buffer.alloc(0);
  const times = Float64Array.from(texts, (_, number) => baseTime + number);
  const events = { ...toEventBytes(texts), times };
  return framesOfEvents(events, index, { id, baseTime });
}

/** This many events, all different. */
export function numbered(from: number, count: number, pad = ''): string[] {
  return Array.from({ length: count }, (_, number) => JSON.stringify({ number: from + number, pad }));
}
