import type { Relay } from '../relay.ts';
import { type NodeRequest, peerOf } from './node.ts';

/** What the relay needs of a context of Hono. */
interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node, it has the request of node:http. */
  readonly env: unknown;
}

/** A handler for Hono: `app.all('/s', toHonoHandler(relay))`. */
export function toHonoHandler(relay: Relay): (context: HonoContext) => Promise<Response> {
  return async (context) => {
    const { raw } = context.req;
    // Hono keeps what a middleware has read: as bytes, which may be gzipped.
    const read = async () => new Uint8Array(await context.req.arrayBuffer());
    const parsed = raw.bodyUsed ? await read().catch(() => null) : undefined;
    const { incoming }: { incoming?: NodeRequest } = Object(context.env);
    return relay(raw, { address: incoming && peerOf(incoming.socket), parsed, native: context });
  };
}
