import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { readJsonBody } from '../http/request-body.ts';
import type { RequestContext } from '../running/application.ts';

/** Reads the field `name` of a body, which must be a JSON object. Throws {@link ConfigError}, or what reading the body throws. */
export async function readField(context: RequestContext, name: string, maxBytes: number): Promise<unknown> {
  return fieldOf((await readJsonBody(context.env.incoming, { maxBytes })).value, name);
}

/** The field `name` of a body. Throws {@link ConfigError} if the body is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Reflect.get(value, name);
  throw new ConfigError('body', `body must be an object with ${name}, got ${describe(value)}`);
}
