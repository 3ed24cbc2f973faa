import { checked } from '../checked.ts';
import { platform as browser } from './browser.ts';
import type { Platform } from './platform.ts';

/** A development build of a page: all options are checked, because nobody waits for a few bytes more. */
export const platform: Platform = { ...browser, parts: { checked } };
