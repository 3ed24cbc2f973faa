import { classify } from '../parts/classify.ts';
import { guards } from '../parts/guard/guards.ts';
import { perCustomer } from '../parts/per-customer.ts';
import { waitUntil } from '../parts/wait-until.ts';

// Large parts come last: gzip looks back 32 KiB only. That saves 200 bytes of a page.

import { checked } from '../options/checked.ts';
import { bounds } from '../parts/bounds/bounds.ts';
import { deadLetters } from '../parts/dead-letters/dead-letters.ts';
import { destination } from '../parts/destination.ts';
import { gzip } from '../parts/gzip/gzip.ts';
import { hooks } from '../parts/hooks/hooks.ts';
import { idempotency } from '../parts/idempotency.ts';
import { learn } from '../parts/learn/learn.ts';
import { logger } from '../parts/logger.ts';
import type { Parts } from '../parts.ts';

/** All parts, except the one that only pages need. A tracker has them everywhere but in pages. */
export const allParts: Required<Omit<Parts, 'relay'>> = {
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
