import type { GzipPart } from './gzip.ts';
import type { HooksPart } from './hooks.ts';

/**
 * What not every page needs. In Node, and on the edge, a tracker has all of it. In a page each is an entry point of its
 * own, so that those who do without it do not load it: `createTracker({ compress: true, parts: { gzip } })`.
 */
export interface Parts {
  /** `@sluice/core/gzip`: what `compress` takes. */
  readonly gzip?: GzipPart | undefined;
  /** `@sluice/core/hooks`: what `clock`, `random`, `transport`, `logger`, `waitUntil` and `delivery.classify` take. */
  readonly hooks?: HooksPart | undefined;
}
