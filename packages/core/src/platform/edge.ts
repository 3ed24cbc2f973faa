import { allParts } from './all-parts.ts';
import { platform as browser } from './browser.ts';
import type { Platform } from './platform.ts';

/**
 * Edge runtimes, and the `worker` target of bundlers: like a browser, but with all parts, because no page waits for them to load.
 */
export const platform: Platform = {
  ...browser,
  holdsUnidentified: false,
  parts: allParts,
};
