import { EventTexts } from '../accept/event-text.ts';
import { createEngine } from './engine.ts';

// Those come first: gzip looks back 32 KiB, and finds more that is alike in this order.

import type { AnyOptions, RelayedOptions, TrackerOptions } from '../options/options.ts';
import { type Defaults, readOptions } from '../options/settings.ts';
import { configured, type Tracker, trackerOn } from '../tracker.ts';
import { relayOf } from './send/relay.ts';
import { loadText, type Meeting, meeting, saveText } from './store/origin.ts';

const OFFSET = 'sluice clock';
const LOOPBACK = /\/\/(([^/]*\.)?localhost|127\.[\d.]+|\[::1])[:/]/;
let isWarned = false;

export const defaults: Defaults = {
  parts: {},
  holdsUnidentified: true,
  warnOfKey(baseUrl) {
    if (isWarned || LOOPBACK.test(baseUrl)) return;
    isWarned = true;
    console.warn('Sluice: the apiKey of a page is public; leave it to a relay');
  },
  commitIntervalMs: 250,
  batchBytes: 128 * 1024,
};

/**
 * As `createTracker`, with these defaults.
 *
 * @param meet How pages find each other. A test brings its own.
 */
export function createWith(options: AnyOptions, defaults: Defaults, meet: Meeting = meeting()): Tracker {
  return configured(() => {
    const { relay: to, ...given } = options as Partial<RelayedOptions>;
    const relay = to !== undefined && given.enabled !== false ? relayOf(to, given) : undefined;
    const { baseUrl } = relay ?? (options as TrackerOptions);
    const settings = readOptions({ ...given, baseUrl } as TrackerOptions, defaults);
    const texts = new EventTexts(settings, {
      load: () => loadText(OFFSET),
      save: (text) => saveText(OFFSET, text),
    });
    const engine = createEngine(settings, texts, () => tracker.flush(), relay, meet);
    const tracker = trackerOn(engine, settings, texts);
    return tracker;
  });
}
