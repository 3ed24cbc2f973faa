import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, send, sendEvents } from '../service.ts';
import { closeBrowser, hasChromium, openPage } from './open-page.ts';
import { seriousFaults } from './serious-faults.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', city: 'London' };
const BOB = { email: 'bob@example.com', first_name: 'Bob', phone_number: '42' };

const panel = (page: Page) => page.getByRole('dialog');

async function choose(page: Page, csv: string): Promise<void> {
  const buffer = Buffer.from(csv);
  await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
}

describe.skipIf(!hasChromium)(
  'axe finds nothing serious in either theme, on a desktop and on a phone (needs Chromium)',
  () => {
    afterAll(closeBrowser);

    it('in the event tracker', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email' });
      const page = await openPage(emulator, '');
      const rowOfBob = page.locator('a.event').filter({ hasText: 'bob@example.com' });
      await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await sendEvents(emulator, ...Array.from({ length: 10 }, () => event()));
      await sendEvents(
        emulator,
        event({ correlationValue: 'bob@example.com', payload: { a: [1, 'b', null, true] } }),
      );
      await rowOfBob.waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Time' }).click();
      expect(await seriousFaults(page)).toEqual([]);
      await rowOfBob.click();
      await panel(page).locator('.json').first().waitFor();
      expect(await seriousFaults(page)).toEqual([]);
    });

    it('in the catalogue', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email' });
      const page = await openPage(emulator, '#/catalogue');
      await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
      await sendEvents(emulator, event({ payload: { total: 1 } }), event({ payload: { total: '2' } }));
      await page.getByRole('button', { name: 'Count again' }).click();
      await page.locator('summary').click();
      await page.getByRole('cell', { name: 'number (1), string (1)' }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
    });

    it('in the audience', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
      await sendEvents(emulator, event());
      const page = await openPage(emulator, '#/audience');
      await page.getByRole('link', { name: ADA.email }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('link', { name: ADA.email }).click();
      await panel(page).locator('.timeline a').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.goto(`${emulator.pagesUrl}#/audience`);
      await page.getByRole('button', { name: 'Import CSV' }).click();
      await choose(page, 'email,name\na@example.com,A\n');
      await panel(page).getByRole('table').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await choose(page, 'email,name\n,A\n');
      await panel(page).getByRole('alert').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByLabel('Attribute').fill('first_name');
      expect(await seriousFaults(page)).toEqual([]);
    });

    it('in the faults', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email' });
      await emulator.fail({ kind: 'status', status: 503, percent: 20 });
      await using over = await emulator.fail({ kind: 'status', status: 500, times: 1 });
      await sendEvents(emulator, event());
      expect(over.state).toBe('over');
      const page = await openPage(emulator, '#/faults');
      await page.locator('.fault').first().waitFor();
      await page.getByText('The same in code').click();
      await page.getByLabel('Fault, as JSON').fill('{"kind":"status"}');
      await page.getByRole('button', { name: 'Switch on', exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
    });

    it('in the requests', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email' });
      const page = await openPage(emulator, '#/requests');
      await page.getByRole('heading', { name: 'No request has arrived yet' }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await sendEvents(emulator, event());
      await send(emulator, { batch: [] });
      await expect.poll(() => page.locator('.request .badge').allInnerTexts()).toEqual(['422', '200']);
      expect(await seriousFaults(page)).toEqual([]);
      await page.locator('.requests .request').first().click();
      await panel(page).getByText('empty_batch', { exact: true }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
    });

    it('in the settings', async () => {
      await using emulator = await startEmulator({ primaryKey: 'email' });
      await emulator.revokeApiKey(await emulator.createApiKey('old'));
      const page = await openPage(emulator, '#/settings');
      await page.getByText('revoked', { exact: true }).waitFor();
      await page.getByRole('radio', { name: /^legacy/ }).check();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Revoke default' }).click();
      expect(await seriousFaults(page)).toEqual([]);
    });
  },
);
