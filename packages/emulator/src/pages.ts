import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { html } from 'hono/html';
import type { OperatorAccess } from './admin/operator-access.ts';
import type { Application, Environment } from './running/application.ts';

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
    if (access.remember(context, token)) return context.redirect('/');
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

/** The page for a person without the operator's token: it says where the token is, and has a field for it. */
function tokenPage(isWrong: boolean): ReturnType<typeof html> {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Token needed · Sluice emulator</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 460px; margin: 12vh auto; padding: 0 20px; }
  h1 { font-size: 24px; line-height: 1.2; }
  code { white-space: nowrap; }
  form { display: flex; flex-wrap: wrap; gap: 8px; }
  input { flex: 1 1 200px; }
  input, button { font: inherit; padding: 6px 12px; }
</style>
<main>
  <h1>The operator's token is needed</h1>
  <p>${isWrong ? 'That is not the token of this emulator. ' : ''}It is in the address of the pages that the emulator
    told when it started: open that one, or enter the token here. Unless it is given as <code>--token</code>, each start
    has a new one.</p>
  <form>
    <input name="token" type="password" aria-label="Token" autocomplete="current-password" required>
    <button>Open the pages</button>
  </form>
</main>
</html>`;
}
