import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, readCustomer, sendEvents } from '../service.ts';
import { closeBrowser, hasChromium, openPage } from './open-page.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada', city: 'London' };
const BOB = { email: 'bob@example.com', first_name: 'Bob', phone_number: '42' };

const panel = (page: Page) => page.getByRole('dialog');
const names = (page: Page) => page.locator('.customer strong').allInnerTexts();
const attributes = (page: Page) => page.getByLabel('Attributes, as JSON');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

async function choose(page: Page, csv: string): Promise<void> {
  const buffer = Buffer.from(csv);
  await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
}

describe.skipIf(!hasChromium)('the audience page (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('selects the primary key, which both endpoints feel at once', async () => {
    await using emulator = await startEmulator();
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('button', { name: 'Select one' }).click();
    await page.getByLabel('Attribute').fill('email');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('heading', { name: 'Primary key email' }).waitFor();
    expect((await sendEvents(emulator, event())).status).toBe(200);
    await page.getByRole('heading', { name: 'No customers yet' }).waitFor();
  });

  it('selects another primary key, which it asks for with the attributes that there are', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('link', { name: ADA.email }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const field = page.getByLabel('Attribute', { exact: true });
    const offered = await field.evaluate((input: HTMLInputElement) =>
      Array.from(input.list?.options ?? [], ({ value }) => value),
    );
    expect(offered.toSorted()).toEqual(['city', 'first_name', 'phone_number']);
    await field.fill('phone_number');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByText('no primary key').waitFor();
    expect((await sendEvents(emulator, event())).status).toBe(422);
    expect((await readCustomer(emulator, '42')).status).toBe(200);
  });

  it('shows the value for which a primary key is refused', async () => {
    const twin = { ...ADA, email: 'twin@example.com' };
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, twin] });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Attribute').fill('city');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await panel(page).getByRole('alert').getByText('two have string "London"').waitFor();
    expect(emulator.primaryKey).toBe('email');
  });

  it('makes a customer, whom the endpoint answers with', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('link', { name: 'New customer' }).click();
    await attributes(page).fill(`{"email":"${ADA.email}","first_name":"Ada","points":{"now":`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    await attributes(page).fill(`{"email":"${ADA.email}","first_name":"Ada","points":{"now":7}}`);
    await page.getByRole('button', { name: 'Create' }).click();
    await panel(page).getByRole('heading', { name: ADA.email }).waitFor();
    expect((await readCustomer(emulator, ADA.email)).body).toEqual({
      email: ADA.email,
      first_name: 'Ada',
      points: { now: 7 },
      primary_key: ADA.email,
    });
    await expect.poll(() => names(page)).toEqual([ADA.email]);
  });

  it('changes a customer, and keeps what was put in where that is refused', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    const page = await openPage(emulator, '#/audience?value=ada%40example.com');
    await attributes(page).fill(JSON.stringify({ ...ADA, city: 'Paris', email: BOB.email }));
    await page.getByRole('button', { name: 'Save' }).click();
    await panel(page).getByRole('alert').getByText('one with "bob@example.com" is there already').waitFor();
    expect(await attributes(page).getAttribute('aria-invalid')).toBe('true');
    await attributes(page).fill(JSON.stringify({ ...ADA, city: 'Paris', email: 'new@example.com' }));
    await page.getByRole('button', { name: 'Save' }).click();
    await panel(page).getByRole('heading', { name: 'new@example.com' }).waitFor();
    expect(await emulator.customer('new@example.com')).toMatchObject({ city: 'Paris', first_name: 'Ada' });
    expect(await emulator.customer(ADA.email)).toBeUndefined();
  });

  it('closes what is open with Escape, one after the other, and the focus goes back to the list', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('link', { name: ADA.email }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete this customer?' }).press('Escape');
    await expect.poll(() => panel(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toContain(ADA.email);
  });

  it('keeps what was typed over Escape and other pages, until it is discarded', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const page = await openPage(emulator, '#/audience/1');
    await attributes(page).fill('{"city":"Oxford"');
    await attributes(page).press('Escape');
    await page.getByRole('navigation').getByRole('link', { name: 'Faults' }).click();
    await page.goBack();
    await expect.poll(() => attributes(page).inputValue()).toBe('{"city":"Oxford"');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => attributes(page).inputValue()).toContain('London');
  });

  it('refuses a save over a change of somebody else, and keeps what was typed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const page = await openPage(emulator, '#/audience/1');
    const changed = JSON.stringify({ ...ADA, city: 'Oxford' });
    await attributes(page).fill(changed);
    await emulator.addCustomers([{ ...ADA, points: 7 }]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The customer was changed since you read it').waitFor();
    expect(await emulator.customer(ADA.email)).toMatchObject({ city: 'London', points: 7 });
    expect(await attributes(page).inputValue()).toBe(changed);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => attributes(page).inputValue()).toContain('"points": 7');
  });

  it('deletes a customer once that is confirmed', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('link', { name: ADA.email }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await emulator.customer(ADA.email)).toBeDefined();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this customer?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect.poll(() => names(page)).toEqual([BOB.email]);
    expect((await readCustomer(emulator, ADA.email)).status).toBe(404);
  });

  it('shows a thousand of 2,000 customers, and finds all by any attribute', async () => {
    const customers = Array.from({ length: 2_000 }, (_, index) => ({
      email: `c${index}@example.com`,
      n: `no ${index}.`,
    }));
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const page = await openPage(emulator, '#/audience');
    await page.getByText('2,000 customers').waitFor();
    await page.getByRole('link', { name: 'c1990@example.com' }).focus();
    for (const [key, email] of [
      ['ArrowDown', 'c1989'],
      ['ArrowDown', 'c1988'],
      ['ArrowUp', 'c1989'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toContain(`${email}@example.com`);
    }
    await page.keyboard.press('End');
    await page.getByText('These are the first 1,000: search for the others.').waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toContain('c1000@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this customer?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('1,999 customers').waitFor();
    await expect.poll(async () => (await names(page)).at(-1)).toBe('c999@example.com');
    await page.getByLabel('Search customers').fill('NO 1234.');
    await page.getByText('1 customer', { exact: true }).waitFor();
    await expect.poll(() => names(page)).toEqual(['c1234@example.com']);
  });

  it('has attributes as columns, and sorts by them', async () => {
    const customers = [
      { email: 'a@example.com', city: 'Graz', age: 9 },
      { email: 'b@example.com', city: 'London', age: 30 },
      { email: 'c@example.com', age: 100, tags: ['x'] },
    ];
    await using emulator = await startEmulator({ primaryKey: 'email', customers });
    const page = await openPage(emulator, '#/audience');
    const cells = async () =>
      (await page.locator('a.customer').allInnerTexts()).map((text) => text.split('\n').join(' ').trim());
    await expect
      .poll(cells)
      .toEqual(['c@example.com 100 ["x"]', 'b@example.com 30 London', 'a@example.com 9 Graz']);
    await page.getByRole('button', { name: 'age' }).click();
    await expect.poll(async () => (await cells())[0]).toBe('a@example.com 9 Graz');
    await page.getByRole('button', { name: 'city' }).click();
    await page.getByRole('button', { name: 'city' }).click();
    await expect
      .poll(cells)
      .toEqual(['b@example.com 30 London', 'a@example.com 9 Graz', 'c@example.com 100 ["x"]']);
    await page.getByText('Columns', { exact: true }).click();
    for (const name of ['age', 'tags']) await page.getByRole('checkbox', { name }).uncheck();
    await expect.poll(cells).toEqual(['b@example.com London', 'a@example.com Graz', 'c@example.com']);
    await page.reload();
    await expect.poll(cells).toEqual(['b@example.com London', 'a@example.com Graz', 'c@example.com']);
    await page.goBack();
    await expect.poll(async () => (await cells())[0]).toContain('London');
    // What somebody has typed into the address.
    await page.goto(`${emulator.pagesUrl}#/audience?columns=%25,city`);
    await expect.poll(cells).toEqual(['c@example.com', 'b@example.com London', 'a@example.com Graz']);
  });

  it('loses nothing that is typed on as a search begins', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA, BOB] });
    const page = await openPage(emulator, '#/audience');
    const field = page.getByLabel('Search customers');
    await field.evaluate((input: HTMLInputElement) => {
      addEventListener('searching', () => {
        input.value = 'bob';
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      });
      const push = history.pushState.bind(history);
      history.pushState = (...to) => {
        push(...to);
        if (input.value === 'bo') setTimeout(() => dispatchEvent(new Event('searching')));
      };
    });
    await field.fill('bo');
    await expect.poll(() => page.url()).toContain('search=bob');
    expect(await field.inputValue()).toBe('bob');
    await expect.poll(() => names(page)).toEqual([BOB.email]);
    await page.getByRole('link', { name: 'Audience' }).click();
    await page.getByText('2 customers').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('shows the events of a customer as they come, and makes one of events that are of nobody', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ event: 'before' }));
    const page = await openPage(emulator, '#/audience?value=ada%40example.com');
    await panel(page).getByText('No customer has this primary key').waitFor();
    await panel(page).getByRole('link', { name: 'before' }).waitFor();
    expect(JSON.parse(await attributes(page).inputValue())).toMatchObject({ email: ADA.email });
    await page.getByRole('button', { name: 'Create' }).click();
    await panel(page).getByRole('heading', { name: ADA.email }).waitFor();
    await sendEvents(emulator, event({ event: 'after' }));
    await panel(page).getByRole('link', { name: 'after' }).waitFor();
    expect(await emulator.events({ attributed: true })).toHaveLength(2);
    await emulator.addCustomers([BOB]); // added by a program: the list shows it, too
    await expect.poll(() => names(page)).toEqual([BOB.email, ADA.email]);
  });

  it('imports a CSV file after a look at it', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('button', { name: 'Import CSV' }).click();
    await choose(page, '\uFEFFemail;note\r\nada@example.com;"a; ""b"""\r\nnew@example.com;\r\n');
    await panel(page).getByText('2 lines: 1 new customer, 1 replaced').waitFor();
    await panel(page).getByRole('cell', { name: 'a; "b"' }).waitFor();
    expect(await emulator.customer('new@example.com')).toBeUndefined();
    await page.getByRole('button', { name: 'Import 2 customers' }).click();
    await panel(page).waitFor({ state: 'detached' });
    expect(await emulator.customer(ADA.email)).toEqual({
      email: ADA.email,
      note: 'a; "b"',
      primary_key: ADA.email,
    });
    await expect.poll(() => names(page)).toEqual(['new@example.com', ADA.email]);
  });

  it('imports nothing of a file with a wrong line, and names each', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const page = await openPage(emulator, '#/audience');
    await page.getByRole('button', { name: 'Import CSV' }).click();
    await choose(page, 'email,name\na@example.com,A\n,nobody\nb@example.com\n');
    const alert = panel(page).getByRole('alert');
    await alert.getByText('2 lines are wrong').waitFor();
    await alert.getByText('Line 3', { exact: true }).waitFor();
    await alert.getByText('Line 4', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await choose(page, 'email,name\na@example.com,A\n'); // corrected
    await page.getByRole('button', { name: 'Import 1 customer' }).waitFor();
  });

  it('interprets nothing of a customer as HTML', async () => {
    const html = '<img src=x onerror="document.title=`run`"><b>bold</b>';
    await using emulator = await startEmulator({
      primaryKey: 'email',
      customers: [{ email: html, [html]: html, deep: { [html]: html } }],
    });
    await sendEvents(emulator, event({ event: html, correlationValue: html }));
    const page = await openPage(emulator, '#/audience');
    await page.locator('a.customer').click();
    await panel(page).locator('.timeline a').waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe('Audience · Sluice emulator');
  });
});
