import type { Parts } from '../parts.ts';
import { classify } from './classify.ts';
import { deadLetters } from './dead-letters/dead-letters.ts';
import { guards } from './guard/guards.ts';
import { gzip } from './gzip/gzip.ts';
import { idempotency } from './idempotency.ts';
import { logger } from './logger.ts';
import { policy } from './policy.ts';

/** All parts. A tracker has them everywhere but in pages. */
export const allParts: Required<Parts> = { classify, deadLetters, guards, gzip, idempotency, logger, policy };
