import { redactedError } from '@sluice/protocol/toolbox';
import { cache } from '../cache.ts';
import { concurrency } from '../concurrency.ts';
import { schema } from '../standard-schema.ts';
import { platform as browser } from './browser.ts';
import { fullyChecked } from './fully-checked.ts';
import type { Platform } from './platform.ts';

/** Edge runtimes, and the `worker` target of bundlers: the global fetch, and all parts, because no page waits for them to load. */
export const platform: Platform = {
  ...browser,
  redactedError,
  parts: { cache, checked: fullyChecked, concurrency, schema },
};
