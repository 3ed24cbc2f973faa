import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../pages/faults/fault-examples.ts';
import { startEmulator } from '../../src/index.ts';
import { event, sendEvents } from '../service.ts';
import { closeBrowser, hasChromium, openPage } from './open-page.ts';

const run = promisify(execFile);
const rows = (page: Page) => page.locator('.fault');
const switchOn = (page: Page) => page.getByRole('button', { name: 'Switch on', exact: true });

const json = (page: Page) => page.getByLabel('Fault, as JSON');

describe.skipIf(!hasChromium)('the faults page (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('switches on a fault, tells how often it acted and what is left of it, and stops it', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/faults');
    await page.getByText('None. The service does what the interface says').waitFor();
    await json(page).fill('{"kind":"status","status":429,"retryAfter":7,"times":3}');
    await switchOn(page).click();
    await rows(page).getByText('Has not acted yet · 3 left').waitFor();
    const refused = await sendEvents(emulator, event());
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('7');
    await rows(page).getByText('Acted on 1 request · 2 left').waitFor();
    await rows(page).getByRole('button', { name: 'Stop' }).click();
    await rows(page).waitFor({ state: 'detached' });
    expect((await sendEvents(emulator, event())).status).toBe(200);
    await page.goto(`${emulator.pagesUrl}#/requests?outcome=fault`);
    await page.locator('.request', { hasText: '429' }).waitFor();
  });

  it('has examples that are taken as they are, and stops all at once', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/faults');
    for (const [index, [name, { fault }]] of Object.entries(EXAMPLES).entries()) {
      await page.getByRole('radio', { name }).check();
      await switchOn(page).click();
      await expect.poll(() => rows(page).count()).toBe(index + 1);
      const [row] = (await emulatorFaults(page)).faults;
      expect(row).toMatchObject({ fault: Array.isArray(fault) ? { kind: 'script', steps: fault } : fault });
    }
    await page.getByRole('button', { name: 'Stop all', exact: true }).click();
    await expect.poll(() => rows(page).count()).toBe(0);
  });

  it('shows how a program does the same, and keeps what was typed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/faults');
    const fault = { kind: 'poison', pattern: '"sku":"B-\\d"', percent: 50, forMs: 1_500, afterMs: 60_000 };
    await json(page).fill(JSON.stringify(fault));
    await page.getByText('The same in code').click();
    expect(await page.locator('.same code').first().textContent()).toContain(`-d '${JSON.stringify(fault)}'`);
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Faults' }).click();
    await switchOn(page).click();
    await rows(page).getByText('waiting').waitFor();
    expect((await emulatorFaults(page)).faults).toMatchObject([{ fault }]);
  });

  it('shows a command that works with the token, where one is needed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', token: "a-token's" });
    const page = await openPage(emulator, '#/faults');
    await page.getByText('The same in code').click();
    const command = page.locator('.same code').first();
    await expect.poll(() => command.textContent()).toContain("-H 'Authorization: Bearer TOKEN'");
    const text = (await command.textContent()) ?? '';
    await run('sh', [
      '-c',
      text.replace("'Authorization: Bearer TOKEN'", `"Authorization: Bearer a-token's"`),
    ]);
    await rows(page).getByText('Has not acted yet').waitFor();
  });

  it('says why a fault is refused', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/faults');
    await json(page).fill('{"kind":"status","status":"often"}');
    await switchOn(page).click();
    await page.getByRole('alert').getByText('fault.status must be').waitFor();
    expect(await json(page).getAttribute('aria-invalid')).toBe('true');
  });

  it('takes a script, of which each step follows the one before', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/faults');
    await json(page).fill('[{"kind":"status","status":500,"times":1},');
    await switchOn(page).click();
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    await json(page).fill('[{"kind":"status","status":500},{"kind":"hang"}]');
    await switchOn(page).click();
    await page.getByRole('alert').getByText('fault.steps[0] must have times').waitFor();
    await json(page).fill(
      '[{"kind":"status","status":500,"times":1},{"kind":"status","status":502,"times":1}]',
    );
    await switchOn(page).click();
    await rows(page).getByText('step 1 of 2').waitFor();
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) statuses.push((await sendEvents(emulator, event())).status);
    expect(statuses).toEqual([500, 502, 200]);
    await rows(page).getByText('Acted on 2 requests · step 2 of 2').waitFor();
    await rows(page).getByText('over').waitFor();
  });

  it('says on every page that a fault is active, and ends it from there', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await emulator.fail({ kind: 'status', status: 503 });
    const page = await openPage(emulator, '#/catalogue');
    await page.getByRole('link', { name: '1 fault is active' }).waitFor();
    await page.getByRole('button', { name: 'Stop all faults' }).click();
    await page.getByRole('link', { name: '1 fault is active' }).waitFor({ state: 'detached' });
    expect((await sendEvents(emulator, event())).status).toBe(200);
  });

  it('interprets nothing of a fault as HTML', async () => {
    const html = '<img src=x onerror="document.title=`run`"><b>bold</b>';
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await emulator.fail({ kind: 'poison', pattern: html });
    const page = await openPage(emulator, '#/faults');
    await rows(page).getByText('<img').waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
  });
});

async function emulatorFaults(page: Page): Promise<{ faults: unknown[] }> {
  return page.evaluate(async () => (await fetch('/emulator/faults')).json());
}
