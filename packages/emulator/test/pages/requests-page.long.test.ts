import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, send, sendEvents } from '../service.ts';
import { closeBrowser, hasChromium, openPage } from './open-page.ts';

const panel = (page: Page) => page.getByRole('dialog');
const rows = (page: Page) => page.locator('.request');
const statuses = (page: Page) => page.locator('.request .badge').allInnerTexts();

describe.skipIf(!hasChromium)('the requests page (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('explains how to reach the service while nothing has come, and shows requests as they come', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/requests');
    await page.getByRole('heading', { name: 'No request has arrived yet' }).waitFor();
    await page.locator('.snippet', { hasText: `curl ${emulator.baseUrl}/api/events/batch/` }).waitFor();
    await sendEvents(emulator, event(), event());
    await rows(page).filter({ hasText: '2 events' }).waitFor();
    await send(emulator, { batch: [] });
    await expect.poll(() => statuses(page)).toEqual(['422', '200']);
  });

  it('opens a refused request, with the reason in the words of the answer', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const answer = await sendEvents(emulator, event({ correlationKey: 'phone' }));
    const { error } = answer.body as { error: { code: string; message: string; field: string } };
    const page = await openPage(emulator, '#/requests');
    await rows(page).filter({ hasText: error.message }).click();
    for (const text of [error.message, error.code, error.field, 'POST /api/events/batch/', 'default']) {
      await panel(page).getByText(text, { exact: true }).waitFor();
    }
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
  });

  it('shows what was sent and answered, sends it again, and goes through the list with the arrow keys', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ event: 'older' }));
    await send(emulator, '{"batch":');
    const page = await openPage(emulator, '#/requests');
    await rows(page).first().click();
    await panel(page).getByLabel('Sent').getByText('{"batch":', { exact: true }).waitFor();
    await panel(page).getByLabel('Answered').getByText('"malformed_json"').waitFor();
    await page.keyboard.press('ArrowDown');
    await panel(page).getByLabel('Sent').getByText('"older"').waitFor();
    await panel(page).getByRole('button', { name: 'Send again' }).click();
    await panel(page).getByText('Sent again: 200').waitFor();
    await page.goBack();
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await expect.poll(() => statuses(page)).toEqual(['200', '200', '400', '200']);
    await page.getByRole('searchbox', { name: 'Search requests' }).fill('malformed');
    await expect.poll(() => statuses(page)).toEqual(['400']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'No request matches' }).waitFor();
    expect(await emulator.requests()).toEqual([]);
  });

  it('leads to the events that a request brought', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ event: 'earlier' }));
    await sendEvents(emulator, event({ event: 'first' }), event({ event: 'second' }));
    await sendEvents(emulator, event({ event: 'later' }));
    const page = await openPage(emulator, '#/requests/2');
    const links = panel(page).locator('.timeline a');
    await links.getByText('second').waitFor();
    expect(await links.locator('strong').allInnerTexts()).toEqual(['first', 'second']);
    await links.first().click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/tracker/2');
  });

  it('shows those that were taken or refused alone, and stands still while it is paused', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event());
    await send(emulator, '{');
    const page = await openPage(emulator, '#/requests');
    await expect.poll(() => statuses(page)).toEqual(['400', '200']);
    await page.getByText('Taken', { exact: true }).click();
    await expect.poll(() => statuses(page)).toEqual(['200']);
    await page.getByText('Refused', { exact: true }).click();
    await expect.poll(() => statuses(page)).toEqual(['400']);
    await page.getByText('All', { exact: true }).click();
    await expect.poll(() => statuses(page)).toEqual(['400', '200']);
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendEvents(emulator, event());
    await page.getByRole('button', { name: '1 new request' }).waitFor();
    expect(await statuses(page)).toEqual(['400', '200']);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => statuses(page)).toEqual(['200', '400', '200']);
  });

  it('shows nothing that came after it was paused, also of a list that was still loading', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await send(emulator, '{');
    const page = await openPage(emulator, '#/requests');
    await expect.poll(() => statuses(page)).toEqual(['400']);
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/outcome=refused/, (route) => arrival.then(() => route.continue()));
    await page.getByText('Refused', { exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await send(emulator, '{');
    arrive();
    await page.getByRole('button', { name: '1 new request' }).waitFor();
    expect(await statuses(page)).toEqual(['400']);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => statuses(page)).toEqual(['400', '400']);
    await page.unrouteAll();
  });

  it('reads on to the first of many, and moves nothing of what is seen as others come', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await send(emulator, '{');
    for (let sent = 0; sent < 250; sent += 1) await sendEvents(emulator, event());
    const page = await openPage(emulator, '#/requests');
    await rows(page).first().waitFor();
    const readOn = async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      return (await statuses(page)).at(-1);
    };
    await expect.poll(readOn).toBe('400');
    expect(await rows(page).count()).toBe(251);
    const refused = page.locator('.requests > li', { has: page.getByText('400', { exact: true }) });
    const before = await refused.boundingBox();
    await sendEvents(emulator, event());
    await page.getByRole('button', { name: '1 new request' }).waitFor();
    expect(await refused.boundingBox()).toEqual(before);
  });

  it('interprets nothing of a request as HTML', async () => {
    const html = '<img src=x onerror="document.title=`run`"><b>bold</b>';
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ correlationKey: html }));
    const page = await openPage(emulator, '#/requests/1');
    await panel(page).getByText('<img').first().waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe('Requests · Sluice emulator');
  });
});
