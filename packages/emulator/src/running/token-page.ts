import { html } from 'hono/html';

type Html = ReturnType<typeof html>;

/** The page for a person without the operator's token: it says where the token is, and has a field for it. */
export function tokenPage(isWrong: boolean): Html {
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
