import { classify } from './classify.ts';
import { deadLetters } from './dead-letters.ts';
import { guards } from './guards.ts';
import { gzip } from './gzip.ts';
import { idempotency } from './idempotency.ts';
import { logger } from './logger.ts';
import type { Parts } from './parts.ts';
import { policy } from './policy.ts';

/** For all but pages. */
export const allParts: Required<Parts> = { classify, deadLetters, guards, gzip, idempotency, logger, policy };
