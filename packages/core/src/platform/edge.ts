import { allParts } from '../parts/all-parts.ts';
import { platform as browser } from './browser.ts';
import type { Platform } from './platform.ts';

/** Edge runtimes and workers of bundlers: as a browser, but nobody waits for a page to load. */
export const platform: Platform = {
  ...browser,
  holdsUnidentified: false,
  parts: allParts,
};
