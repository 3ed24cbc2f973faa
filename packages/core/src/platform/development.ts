import { fullyChecked } from '../options/calls.ts';
import { platform as browser } from './browser.ts';
import type { Platform } from './platform.ts';

/** Development builds of a page: like a browser, but all options are checked, because nobody waits for a few bytes more. */
export const platform: Platform = { ...browser, parts: { checked: fullyChecked } };
