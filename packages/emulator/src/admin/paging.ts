import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { RequestContext } from '../running/application.ts';

const DEFAULT_LIMIT = 100;

/** Which part of a list to read. */
export interface Paging {
  readonly before: number | undefined;
  readonly limit: number;
}

/** Reads `before` and `limit` (default 100) of a list. Throws {@link ConfigError}. */
export function readPaging(request: RequestContext['req'], maxLimit: number): Paging {
  return {
    before: readWhole('before', request.query('before'), Number.MAX_SAFE_INTEGER),
    limit: readWhole('limit', request.query('limit'), maxLimit) ?? DEFAULT_LIMIT,
  };
}

/** Reads `offset`, the number of rows to skip (default 0). Throws {@link ConfigError}. */
export function readOffset(request: RequestContext['req']): number {
  return readWhole('offset', request.query('offset'), Number.MAX_SAFE_INTEGER, 0) ?? 0;
}

/** Reads the id in a path. Throws {@link ConfigError}. */
export function readId(request: RequestContext['req']): number {
  return readWhole('id', request.param('id'), Number.MAX_SAFE_INTEGER) ?? 0;
}

function readWhole(name: string, text: string | undefined, max: number, min = 1): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= min && number <= max) return number;
  throw new ConfigError(name, `${name} must be a whole number from ${min} to ${max}, got ${describe(text)}`);
}
