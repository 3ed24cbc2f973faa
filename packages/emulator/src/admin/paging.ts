import { ConfigError, describe } from '@sluice/protocol';
import type { RequestContext } from '../application.ts';

const DEFAULT_LIMIT = 100;

/** Where a list is read on, and how much of it. */
export interface Paging {
  readonly before: number | undefined;
  readonly limit: number;
}

/** Reads `before` and `limit` (100 unless given) of a list. Throws {@link ConfigError}. */
export function readPaging(request: RequestContext['req'], maxLimit: number): Paging {
  return {
    before: readWhole('before', request.query('before'), Number.MAX_SAFE_INTEGER),
    limit: readWhole('limit', request.query('limit'), maxLimit) ?? DEFAULT_LIMIT,
  };
}

/** Reads the id in a path. Throws {@link ConfigError}. */
export function readId(request: RequestContext['req']): number {
  return readWhole('id', request.param('id'), Number.MAX_SAFE_INTEGER) ?? 0;
}

function readWhole(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,15}$/.test(text) && Number(text) <= max) return Number(text);
  throw new ConfigError(name, `${name} must be a whole number from 1 to ${max}, got ${describe(text)}`);
}
