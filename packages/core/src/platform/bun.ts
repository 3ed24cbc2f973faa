import { ConfigError } from '@sluice/protocol';
import { nodeChecked } from '../options/node-checked.ts';
import type { TrackerOptions } from '../options/options.ts';
import { platform as node } from './node.ts';
import type { Platform } from './platform.ts';
import { RedirectedFetch } from './redirected-fetch.ts';

/** Like Node, but with Bun's `fetch`: in place of undici, Bun has an object that makes no requests. */
export const platform: Platform = {
  ...node,
  parts: { ...node.parts, checked },
  createTransport: ({ delivery }) => new RedirectedFetch(delivery),
};

/** Checks all options. */
function checked(given: unknown): void {
  nodeChecked(given);
  // The cast is safe: the rules hold.
  const { delivery = {} } = given as TrackerOptions;
  for (const name of ['connect', 'dispatcher'] as const) {
    if (delivery[name] === undefined) continue;
    const rule = `delivery.${name} must be absent in Bun, whose fetch makes the requests`;
    throw new ConfigError(`delivery.${name}`, rule);
  }
}
