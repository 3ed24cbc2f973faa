import { ConfigError } from '@sluice/protocol';
import type { classify } from './parts/classify.ts';
import type { destination } from './parts/destination.ts';
import type { guards } from './parts/guards.ts';
import type { gzip } from './parts/gzip/gzip.ts';
import type { hooks } from './parts/hooks.ts';
import type { idempotency } from './parts/idempotency.ts';
import type { learn } from './parts/learn/learn.ts';
import type { logger } from './parts/logger.ts';
import type { waitUntil } from './parts/wait-until.ts';

/**
 * Optional stages. In Node and on the edge, a tracker has all of them. In a page, each part has its own entry point, so that a
 * page loads only the parts that it uses: `createTracker({ compress: true, parts: { gzip } })`.
 */
export interface Parts {
  /** `@sluice/core/gzip`: needed for `compress`. */
  readonly gzip?: typeof gzip | undefined;
  /** `@sluice/core/dead-letters`: needed for `tracker.deadLetters`. */
  readonly deadLetters?: object | undefined;
  /** `@sluice/core/destination`: needed for `destination`. */
  readonly destination?: typeof destination | undefined;
  /** `@sluice/core/logger`: needed for `logger` and `debug`. */
  readonly logger?: typeof logger | undefined;
  /** `@sluice/core/guards`: needed for `transport`. */
  readonly guards?: typeof guards | undefined;
  /** `@sluice/core/bounds`: needed for `storage`. */
  readonly bounds?: object | undefined;
  /** `@sluice/core/classify`: needed for `delivery.classify`. */
  readonly classify?: typeof classify | undefined;
  /** `@sluice/core/hooks`: needed for `context`, `beforeSend`, `sample`, `redact`, `events`, `validate` and `bigint`. */
  readonly hooks?: typeof hooks | undefined;
  /** `@sluice/core/idempotency`: needed for `delivery.idempotencyHeader`. */
  readonly idempotency?: typeof idempotency | undefined;
  /** `@sluice/core/learn`: remembers which sizes and rates the service takes. Without it, these are found out again and again. */
  readonly learn?: typeof learn | undefined;
  /** `@sluice/core/per-customer`: needed for `ordering: 'per-customer'`. */
  readonly perCustomer?: object | undefined;
  /** `@sluice/core/wait-until`: needed for `waitUntil`. */
  readonly waitUntil?: typeof waitUntil | undefined;
  /** `@sluice/core/checked`: checks all options. Development builds of a page have it without asking. */
  readonly checked?: CheckedPart | undefined;
}

/**
 * Checks each option by its name, or what a method was given. Throws a ConfigError with the name, the value (never the key), and
 * what is allowed.
 */
export type CheckedPart = (given: unknown, method?: 'on' | 'flush' | 'close' | 'identify') => void;

/** Throws a ConfigError that says how to add a missing part. */
export function missingPart(option: string, part: keyof Parts | 'relayDrain'): never {
  const entry = part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const how = `give parts: { ${part} }, from @sluice/core/${entry}`;
  throw new ConfigError(option, `${option} needs a part here: ${how}`);
}
