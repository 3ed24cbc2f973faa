import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import type { Application, Environment } from './running/application.ts';

/** The folder with Vite's build: next to this file if this file is built too, else in `dist`. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/pages' : './pages', import.meta.url),
);

// The browser ensures that a page talks only to the emulator, and runs no code that an event contains.
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'";

/** Serves the pages: event tracker, audience, settings, requests and faults. They are static: what they show, they read by the routes of the emulator. */
export function addPages(application: Application, guard: MiddlewareHandler<Environment>): void {
  const serve = serveStatic<Environment>({ root: FOLDER });
  for (const path of ['/', '/assets/*']) {
    application.get(path, guard, (context, next) => {
      context.header('content-security-policy', POLICY);
      context.header('x-content-type-options', 'nosniff');
      context.header('referrer-policy', 'no-referrer');
      context.header('cache-control', path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable');
      return serve(context, next);
    });
  }
}
