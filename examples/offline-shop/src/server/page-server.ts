import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Emulator } from '@sluice/emulator';
import { type Relay, toHonoHandler } from '@sluice/relay';
import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';

/** The page that Vite has built. */
const PAGE = fileURLToPath(new URL('../page', import.meta.url));
/** With this policy, the browser lets the page send requests only to the shop. */
const POLICY = "default-src 'self'; connect-src 'self'";

/** Serves the page, and the relay that takes its events. Takes the relay away if the switch of the page demands it. */
export function createPageServer(emulator: Emulator, relay: Relay): Server {
  let isUp = true;
  const application = new Hono();
  application.use(async (context, next) => {
    await next();
    context.header('content-security-policy', POLICY);
    context.header('cache-control', 'no-cache');
  });
  const describe = async () => {
    // What the relay has taken is counted once the service has it.
    await relay.tracker?.flush({ timeoutMs: 1_000 });
    return { isUp, arrived: await emulator.countEvents() };
  };
  application.all('/s', toHonoHandler(relay));
  application.get('/service', async (context) => context.json(await describe()));
  // PUT, because a browser blocks a PUT from a page of another origin unless this server allows it. It does not.
  application.put('/service', async (context) => {
    isUp = (await context.req.json())?.isUp !== false;
    return context.json(await describe());
  });
  // In this shop, everybody is Ada.
  application.get('/', async (context, next) => {
    setCookie(context, 'session', 'ada@example.com', { httpOnly: true, sameSite: 'Strict' });
    await next();
  });
  application.use(serveStatic({ root: PAGE }));
  const listener = getRequestListener(application.fetch);
  return createServer((request, response) => {
    if (!isUp && request.url === '/s') request.socket.destroy();
    else void listener(request, response);
  });
}
