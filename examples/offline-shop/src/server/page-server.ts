import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Emulator } from '@sluice/emulator';
import { Hono } from 'hono';

/** What Vite has built. */
const PAGE = fileURLToPath(new URL('../page', import.meta.url));

/** Serves the page, tells it where the service is, and takes the service away when the page's switch says so. */
export function createPageServer(emulator: Emulator): Server {
  let isUp = true;
  const application = new Hono();
  // The browser itself sees to it that the page talks to nobody but the shop and the service.
  const policy = `default-src 'self'; connect-src 'self' ${emulator.baseUrl}`;
  application.use(async (context, next) => {
    await next();
    context.header('content-security-policy', policy);
    context.header('cache-control', 'no-cache');
  });
  const describe = async () => {
    const { baseUrl, apiKey } = emulator;
    return { baseUrl, apiKey, isUp, arrived: await emulator.countEvents() };
  };
  application.get('/service', async (context) => context.json(await describe()));
  // PUT, as no page of another origin may make such a request unasked.
  application.put('/service', async (context) => {
    isUp = (await context.req.json())?.isUp !== false;
    await (isUp ? emulator.resume() : emulator.suspend());
    return context.json(await describe());
  });
  application.use(serveStatic({ root: PAGE }));
  const listener = getRequestListener(application.fetch);
  return createServer((request, response) => void listener(request, response));
}
