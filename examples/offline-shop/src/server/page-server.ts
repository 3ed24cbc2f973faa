import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Emulator } from '@sluice/emulator';
import { Hono } from 'hono';

/** The page that Vite has built. */
const PAGE = fileURLToPath(new URL('../page', import.meta.url));

/** Serves the page, and tells it where the service is. Takes the service away if the switch of the page demands it. */
export function createPageServer(emulator: Emulator): Server {
  let isUp = true;
  const application = new Hono();
  // With this policy, the browser lets the page send requests only to the shop and the service.
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
  // PUT, because a browser blocks a PUT from a page of another origin unless this server allows it. It does not.
  application.put('/service', async (context) => {
    isUp = (await context.req.json())?.isUp !== false;
    await (isUp ? emulator.resume() : emulator.suspend());
    return context.json(await describe());
  });
  application.use(serveStatic({ root: PAGE }));
  const listener = getRequestListener(application.fetch);
  return createServer((request, response) => void listener(request, response));
}
