import type { Defaults } from '../options/settings.ts';
import { thoroughly } from '../options/thorough.ts';
import { defaults as page } from './tracker.ts';

export { createWith } from './tracker.ts';

/** Development builds of a page: all options are checked, because nobody waits for a few bytes more. */
export const defaults: Defaults = { ...page, parts: { checked: thoroughly() } };
