import { ConfigError, type Rule } from '@sluice/protocol';
import type { ClassifyPart } from './parts/classify.ts';
import type { DeadLettersPart } from './parts/dead-letters/dead-letters.ts';
import type { GuardsPart } from './parts/guard/guards.ts';
import type { GzipPart } from './parts/gzip/gzip.ts';
import type { IdempotencyPart } from './parts/idempotency.ts';
import type { LoggerPart } from './parts/logger.ts';
import type { PolicyPart } from './parts/policy.ts';

/**
 * What not every page needs. In Node, and on the edge, a tracker has all of it. In a page each is an entry point of its
 * own, so that those who do without it do not load it: `createTracker({ compress: true, parts: { gzip } })`.
 */
export interface Parts {
  /** `@sluice/core/gzip`: what `compress` takes. */
  readonly gzip?: GzipPart | undefined;
  /** `@sluice/core/dead-letters`: what `tracker.deadLetters` takes. */
  readonly deadLetters?: DeadLettersPart | undefined;
  /** `@sluice/core/logger`: what `logger` takes. */
  readonly logger?: LoggerPart | undefined;
  /** `@sluice/core/guards`: what `transport`, `clock` and `random` take. */
  readonly guards?: GuardsPart | undefined;
  /** `@sluice/core/classify`: what `delivery.classify` takes. */
  readonly classify?: ClassifyPart | undefined;
  /** `@sluice/core/idempotency`: what `delivery.idempotencyHeader` takes. */
  readonly idempotency?: IdempotencyPart | undefined;
  /** `@sluice/core/policy`: what `delivery.policy` takes. */
  readonly policy?: PolicyPart | undefined;
}

/** Says how to get a part that is used and was not given. */
export function missingPart(option: string, part: keyof Parts): never {
  const entry = part === 'deadLetters' ? 'dead-letters' : part;
  const how = `give parts: { ${part} }, from @sluice/core/${entry}`;
  throw new ConfigError(option, `${option} needs a part here: ${how}`);
}

/** The rule of an option of which the part is missing. */
export function missing(part: keyof Parts): Rule {
  return [(_, option = '') => missingPart(option, part), ''];
}
