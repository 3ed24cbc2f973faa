// The package with all its parts in one file, for pages without a bundler: they cannot import parts.

export * from '../index.ts';
export { classify } from '../parts/classify.ts';
export { deadLetters } from '../parts/dead-letters/dead-letters.ts';
export { guards } from '../parts/guard/guards.ts';
export { gzip } from '../parts/gzip/gzip.ts';
export { idempotency } from '../parts/idempotency.ts';
export { logger } from '../parts/logger.ts';
export { policy } from '../parts/policy.ts';
