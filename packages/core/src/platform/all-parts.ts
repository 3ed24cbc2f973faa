import { classify } from '../parts/classify.ts';
import { guards } from '../parts/guards.ts';
import { waitUntil } from '../parts/wait-until.ts';

// Large parts come last: gzip looks back 32 KiB only. That saves 200 bytes of a page.

import { bounds, deadLetters, learn, perCustomer } from '#parts';
import { checked } from '../options/checked.ts';
import { destination } from '../parts/destination.ts';
import { gzip } from '../parts/gzip/gzip.ts';
import { hooks } from '../parts/hooks.ts';
import { idempotency } from '../parts/idempotency.ts';
import { logger } from '../parts/logger.ts';
import type { Parts } from '../parts.ts';

/** All parts. A tracker has them everywhere but in pages. */
export const allParts: Required<Parts> = {
  bounds,
  checked,
  classify,
  deadLetters,
  destination,
  guards,
  gzip,
  hooks,
  idempotency,
  learn,
  logger,
  perCustomer,
  waitUntil,
};
