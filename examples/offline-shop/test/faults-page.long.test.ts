import { createTracker } from '@sluice/core';
import { startEmulator } from '@sluice/emulator';
import { expect, test } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { hasChromium, launchChromium } from './phone.ts';

const FAULTS = [
  { kind: 'status', status: 503, times: 2 },
  { kind: 'lost-answer', times: 1 },
];

test.skipIf(!hasChromium)(
  'a fault scripted on the page is felt by a tracker, which gets over it',
  async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await using browser = await launchChromium();
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE.timeout);
    await page.goto(`${emulator.pagesUrl}#/faults`);
    await page.getByLabel('Fault, as JSON').fill(JSON.stringify(FAULTS));
    await page.getByRole('button', { name: 'Switch on', exact: true }).click();
    await page.getByText('Has not acted yet').waitFor();

    const { baseUrl, apiKey } = emulator;
    const delivery = { retryBaseMs: 10, retryMaxMs: 20 };
    await using tracker = createTracker({
      baseUrl,
      apiKey,
      correlationKey: 'email',
      journal: 'memory',
      delivery,
    });
    tracker.track('purchase', { total: 42.5 }, { correlationValue: 'ada@example.com' });
    expect(await tracker.flush()).toMatchObject({ delivered: 1, pending: 0 });

    await page.getByText('Acted on 3 requests').waitFor();
    await page.getByRole('link', { name: 'Show the requests on which faults acted' }).click();
    await page.getByText('loses the answer').waitFor();
    const statuses = () => page.locator('.request > :first-child').allInnerTexts();
    await expect.poll(statuses).toEqual(['cut', '503', '503']);
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 2 }); // the answer to the first was lost
  },
);
