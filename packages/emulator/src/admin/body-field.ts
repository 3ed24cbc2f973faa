import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { RequestContext } from '../application.ts';
import { readJsonBody } from '../request-body.ts';

/** Reads the field `name` of a body, which must be a JSON object. Throws {@link ConfigError}, or what reading the body throws. */
export async function readField(context: RequestContext, name: string, maxBytes: number): Promise<unknown> {
  const { value } = await readJsonBody(context.env.incoming, { maxBytes });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Reflect.get(value, name);
  throw new ConfigError('body', `body must be an object with ${name}, got ${describe(value)}`);
}
