export { toFastifyHandler } from './adapters/fastify.ts';
export { toHonoHandler } from './adapters/hono.ts';
export { type NodeRequest, type NodeResponse, toNodeHandler } from './adapters/node.ts';
export type { WebAbout } from './adapters/web.ts';
export type { Answer, BodySource, Incoming, RefusalWord } from './exchange.ts';
export type { WindowStats } from './keep/keeper.ts';
export type { ContextOptions, JwtOptions, LimitOptions, RelayOptions } from './options.ts';
export { createRelay, type Relay, type RelayStats } from './relay.ts';
export { type RelayServer, type ServerOptions, startRelayServer } from './server/server.ts';
