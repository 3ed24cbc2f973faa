import type { CheckedPart } from '../parts.ts';
import { checkOptions } from './rules.ts';

/**
 * For pages. In Node, and in development builds of a page, more is built in.
 * @example createTracker({ ...options, parts: { checked } });
 */
export const checked: CheckedPart = (given, method) => method ?? checkOptions(given);
