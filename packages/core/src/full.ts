// The package with all its parts in one file: for pages without a bundler, which have nowhere to import a part from.
export { classify } from './classify.ts';
export { deadLetters } from './dead-letters.ts';
export { guards } from './guards.ts';
export { gzip } from './gzip.ts';
export { idempotency } from './idempotency.ts';
export * from './index.ts';
export { logger } from './logger.ts';
export { policy } from './policy.ts';
