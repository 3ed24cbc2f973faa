import { ConfigError, type Rule } from '@sluice/protocol';
import type { ClassifyPart } from './parts/classify.ts';
import type { DeadLettersPart } from './parts/dead-letters/dead-letters.ts';
import type { GuardsPart } from './parts/guard/guards.ts';
import type { GzipPart } from './parts/gzip/gzip.ts';
import type { IdempotencyPart } from './parts/idempotency.ts';
import type { LoggerPart } from './parts/logger.ts';
import type { PolicyPart } from './parts/policy.ts';

/**
 * Optional stages. In Node and on the edge, a tracker has all of them. In a page, each part has its own entry point, so that a
 * page loads only the parts that it uses: `createTracker({ compress: true, parts: { gzip } })`.
 */
export interface Parts {
  /** `@sluice/core/gzip`: needed for `compress`. */
  readonly gzip?: GzipPart | undefined;
  /** `@sluice/core/dead-letters`: needed for `tracker.deadLetters`. */
  readonly deadLetters?: DeadLettersPart | undefined;
  /** `@sluice/core/logger`: needed for `logger`. */
  readonly logger?: LoggerPart | undefined;
  /** `@sluice/core/guards`: needed for `transport`, `clock` and `random`. */
  readonly guards?: GuardsPart | undefined;
  /** `@sluice/core/classify`: needed for `delivery.classify`. */
  readonly classify?: ClassifyPart | undefined;
  /** `@sluice/core/idempotency`: needed for `delivery.idempotencyHeader`. */
  readonly idempotency?: IdempotencyPart | undefined;
  /** `@sluice/core/policy`: needed for `delivery.policy`. */
  readonly policy?: PolicyPart | undefined;
}

/** Throws a ConfigError that says how to add a missing part. */
export function missingPart(option: string, part: keyof Parts): never {
  const entry = part === 'deadLetters' ? 'dead-letters' : part;
  const how = `give parts: { ${part} }, from @sluice/core/${entry}`;
  throw new ConfigError(option, `${option} needs a part here: ${how}`);
}

/** The rule of an option whose part is missing: it refuses every value. */
export function missing(part: keyof Parts): Rule {
  return [(_, option = '') => missingPart(option, part), ''];
}
