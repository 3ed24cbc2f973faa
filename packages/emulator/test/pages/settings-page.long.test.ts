import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, readCustomer, send, sendEvents } from '../service.ts';
import { closeBrowser, hasChromium, openPage } from './open-page.ts';

const REFUSED = 'The API key is not one of this emulator, or it was revoked.';

const run = promisify(execFile);
const snippets = (page: Page) => page.locator('.snippet code').allInnerTexts();

const settings = (page: Page) => page.getByLabel('Settings, as JSON');

describe.skipIf(!hasChromium)('the settings page (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('revokes a key once that is confirmed: a request with it is refused, and the requests page says why', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/settings');
    await page.getByRole('button', { name: 'Revoke default' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke “default”?' });
    await question.getByText('It is the only valid key').waitFor();
    expect((await sendEvents(emulator, event())).status).toBe(200);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No key is valid').waitFor();
    const { status, body } = await sendEvents(emulator, event());
    expect({ status, body }).toMatchObject({ status: 403, body: { error: { message: REFUSED } } });
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.locator('.request', { hasText: REFUSED }).click();
    await page.getByRole('dialog').getByText(REFUSED, { exact: true }).waitFor();
  });

  it('makes a key, which is taken at once, and tells when it was used last', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/settings');
    await page.getByRole('button', { name: 'Create key' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Create key' }).click();
    await question.getByRole('alert').getByText('name must be a text').waitFor();
    await question.getByLabel('Name').fill('shop');
    await question.getByRole('button', { name: 'Create key' }).click();
    const item = page.locator('.key', { hasText: 'shop' });
    await item.getByText('Never used').waitFor();
    const apiKey = (await item.locator('code').textContent()) ?? '';
    const { baseUrl, apiUrl } = emulator;
    expect((await sendEvents({ baseUrl, apiUrl, apiKey }, event())).status).toBe(200);
    await item.getByText('Last used').waitFor();
    await item.getByRole('button', { name: 'Rename shop' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('web shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Revoke web shop' }).waitFor();
  });

  it('has snippets that work as they are', async () => {
    const customers = [{ email: 'ada@example.com', first_name: "Ada's" }];
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const page = await openPage(emulator, '#/settings');
    await page.getByText(emulator.apiKey).first().waitFor();
    const [sending = '', reading = ''] = await snippets(page);
    const sent = await run('sh', ['-c', `${sending} -s`]);
    expect(JSON.parse(sent.stdout)).toEqual({ accepted: 1, repeated: 0 });
    const read = await run('sh', ['-c', `${reading} -s`]);
    expect(JSON.parse(read.stdout)).toMatchObject({ first_name: "Ada's" });
    await page.getByText('fetch', { exact: true }).click();
    const [fetching = ''] = await snippets(page);
    const fetched = await run(process.execPath, ['--input-type=module', '-e', fetching]);
    expect(fetched.stdout).toContain('200 {"accepted":1');
    expect(await emulator.events({ attributed: true })).toHaveLength(2);
    await page.getByText('Sluice', { exact: true }).click();
    expect((await snippets(page))[0]).toContain(`baseUrl: '${emulator.baseUrl}'`);
  });

  it('has snippets that work with odd names and keys, too', async () => {
    const customers = [{ constructor: 'ada' }];
    const apiKey = `it's\\"a"-key`;
    await using emulator = await startEmulator({ primaryKey: 'constructor', customers, apiKey });
    const page = await openPage(emulator, '#/settings');
    await page.getByText(apiKey).first().waitFor();
    for (const [language, program, flag] of [
      ['curl', 'sh', '-c'],
      ['fetch', process.execPath, '-e'],
    ] as const) {
      await page.getByText(language, { exact: true }).click();
      for (const snippet of await snippets(page)) await run(program, [flag, snippet]);
    }
    await page.getByText('Sluice', { exact: true }).click();
    expect((await snippets(page))[0]).toContain(`apiKey: 'it\\'s\\\\\\"a\\"-key'`);
    const rows = await emulator.requests();
    expect(rows.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await emulator.countEvents({ correlationValue: 'ada' })).toMatchObject({ unique: 2 });
  });

  it('chooses how the service answers: a preset, and its settings', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/settings');
    await page.getByRole('radio', { name: /^quiet/ }).check();
    expect(JSON.parse(await settings(page).inputValue())).toMatchObject({ acceptedStatus: 204 });
    await settings(page).fill('{ "maxEvents": 1 }');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await sendEvents(emulator, event())).toMatchObject({ status: 204, body: undefined });
    expect((await sendEvents(emulator, event(), event())).status).toBe(413);
    await page.reload();
    await expect.poll(() => settings(page).inputValue()).toContain('"maxEvents": 1');
    expect(await page.getByRole('radio', { name: /^quiet/ }).isChecked()).toBe(true);
  });

  it('says beside the settings why they are refused, and keeps what was typed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/settings');
    await settings(page).fill('{ "acceptedStatus": 302 }');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.field').getByText('from 200 to 299').waitFor();
    await settings(page).fill('{');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.field').getByText('This is not JSON').waitFor();
    await settings(page).fill('{ "statuses": { "empty_batch": 400 } }');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect((await send(emulator, { batch: [] })).status).toBe(400);
    expect((await readCustomer(emulator, 'nobody')).status).toBe(404);
  });
});
