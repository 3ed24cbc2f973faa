import type { CheckedPart } from '../parts.ts';
import { checkOptions } from './rules.ts';

/** For pages: `createTracker({ …, parts: { checked } })`. In Node, and in development builds of a page, more is built in. */
export const checked: CheckedPart = (given, method) => method ?? checkOptions(given);
