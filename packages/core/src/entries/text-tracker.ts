/** A tracker that takes events as text, for Node: for a relay, which has checked them and written them already. */
import { platform } from '#platform';
import type { TrackerOptions } from '../options/options.ts';
import { onRoad } from '../server.ts';
import type { Tracker } from '../tracker.ts';

export { isIntercepted } from '../send/http/transport.ts';

export interface TextTracker {
  readonly tracker: Tracker;
  /**
   * Accepts the JSON text of an event, as the service gets it. Only its size is checked, and no hook sees it. Throws an
   * InvalidEventError if it is too large. If there is no room for it, the tracker drops it and emits `dropped` before this returns.
   *
   * @param customer Its `correlationValue`.
   */
  accept(text: string, customer: string): void;
}

export function createTextTracker(options: TrackerOptions): TextTracker {
  const { engine, tracker } = onRoad(options, platform);
  return {
    tracker,
    accept: (text, customer) => engine.take(text, engine.clock.now(), false, customer),
  };
}
