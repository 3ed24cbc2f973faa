import { redactedError, rootMessage } from '@sluice/protocol/toolbox';
import { cache } from '../cache.ts';
import { checked } from '../checked.ts';
import { concurrency } from '../concurrency.ts';
import { separateRequests } from '../separate-requests.ts';
import { schema } from '../standard-schema.ts';
import { platform as browser } from './browser.ts';
import type { Platform } from './platform.ts';

/**
 * Edge runtimes, and the `worker` target of bundlers: the global fetch, and all parts, because no page waits for them to load. When a
 * request that such a runtime handles is over, it may drop the reads that this request began. So no read waits for another one.
 */
export const platform: Platform = {
  ...browser,
  redactedError,
  reasonOf: rootMessage,
  requests: separateRequests,
  parts: {
    cache,
    checked,
    concurrency: (most = Number.POSITIVE_INFINITY) => concurrency(most),
    schema,
  },
};
