import { EventTexts } from './accept/event-text.ts';
import type { AnyOptions, TrackerOptions } from './options/options.ts';
import { type Defaults, readOptions } from './options/settings.ts';
import { createRoad } from './road.ts';
import { configured, type Engine, type Tracker, trackerOn } from './tracker.ts';

export { platform as defaults } from '#platform';

/** As `createTracker`, with these defaults. @internal */
export function createWith(options: AnyOptions, defaults: Defaults): Tracker {
  return onRoad(options, defaults).tracker;
}

/** As `createWith`. Also returns the engine. @internal */
export function onRoad(options: AnyOptions, defaults: Defaults): { tracker: Tracker; engine: Engine } {
  return configured(() => {
    // The cast is safe: `readOptions` finds what is missing.
    const settings = readOptions(options as TrackerOptions, defaults);
    const texts = new EventTexts(settings);
    const engine = createRoad(settings, texts, () => tracker.flush());
    const tracker = trackerOn(engine, settings, texts);
    return { tracker, engine };
  });
}
