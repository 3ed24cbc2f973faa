/**
 * The package with all its parts, which its trackers have without asking. Bundled, this is the file for pages without a bundler:
 * they cannot import parts.
 */
import { createWith, defaults } from '#engine';
import type { AnyEvents, BigintEvents } from '../accept/track.ts';
import type { AnyOptions } from '../options/options.ts';
import type { Inputs, Schemas } from '../parts/schemas.ts';
import { allParts } from '../platform/all-parts.ts';
import type { Tracker } from '../tracker.ts';

export { bounds, deadLetters, learn, perCustomer } from '#parts';
export * from '../index.ts';
export { checked } from '../options/checked.ts';
export { classify } from '../parts/classify.ts';
export { destination } from '../parts/destination.ts';
export { guards } from '../parts/guards.ts';
export { gzip } from '../parts/gzip/gzip.ts';
export { hooks, pageContext } from '../parts/hooks.ts';
export { idempotency } from '../parts/idempotency.ts';
export { logger } from '../parts/logger.ts';
export { FetchTransport } from '../send/http/fetch-transport.ts';
export { pageViews } from './page-views.ts';

/**
 * As `createTracker` of `@sluice/core`, with all parts.
 *
 * @throws A ConfigError if an option is wrong.
 * @example const tracker = createTracker({ baseUrl, correlationKey: 'email', compress: true });
 */
export function createTracker<const Given extends Schemas>(
  options: AnyOptions & { readonly events: Given },
): Tracker<Inputs<Given>>;
export function createTracker(options: AnyOptions & { readonly bigint: 'string' }): Tracker<BigintEvents>;
export function createTracker<Events extends object = AnyEvents>(options: AnyOptions): Tracker<Events>;
export function createTracker(options: AnyOptions): Tracker {
  return createWith(options, { ...defaults, parts: { ...allParts, ...defaults.parts } });
}
