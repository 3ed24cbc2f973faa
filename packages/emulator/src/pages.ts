import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OperatorAccess } from './admin/operator-access.ts';
import type { Application, Environment } from './running/application.ts';
import { tokenPage } from './running/token-page.ts';

/** The folder with Vite's build: next to this file if this file is built too, else in `dist`. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/pages' : './pages', import.meta.url),
);

// The browser ensures that a page talks only to the emulator, and runs no code that an event contains.
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; form-action ";

/** Serves the pages: event tracker, audience, settings, requests and faults. */
export function addPages(application: Application, access: OperatorAccess): void {
  application.get('/', async (context, next) => {
    const token = context.req.query('token');
    const cookie = access.cookie(token);
    if (cookie !== undefined) return context.body(null, 302, { location: '/', 'set-cookie': cookie });
    const isPerson = context.req.header('accept')?.includes('text/html');
    if (!isPerson || !access.lacksToken(context)) return next();
    context.header('content-security-policy', `${POLICY}'self'`);
    return context.html(tokenPage(token !== undefined), 403);
  });
  const serve = serveStatic<Environment>({ root: FOLDER });
  for (const path of ['/', '/assets/*']) {
    application.get(path, async (context, next) => {
      access.check(context);
      context.header('content-security-policy', `${POLICY}'none'`);
      context.header('x-content-type-options', 'nosniff');
      context.header('referrer-policy', 'no-referrer');
      context.header('cache-control', path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable');
      return serve(context, next);
    });
  }
}
