import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/index.ts';
import { event, send, sendEvents } from '../service.ts';
import { closeBrowser, DESKTOP, hasChromium, openPage, PHONE, settled } from './open-page.ts';

const CUSTOMERS = [{ email: 'ada@example.com', first_name: 'Ada' }];

async function start(count = 0): Promise<Emulator> {
  const emulator = await startEmulator({ primaryKey: 'email', customers: CUSTOMERS });
  await fill(emulator, count);
  return emulator;
}

/** Sends numbered events: `step` with the payload `{ "number": 1 }`, and so on. */
async function fill(emulator: Emulator, count: number, name = 'step', from = 1): Promise<void> {
  for (let sent = 0; sent < count; sent += 5_000) {
    const batch = Array.from({ length: Math.min(5_000, count - sent) }, (_, index) =>
      event({ event: name, payload: { number: from + sent + index } }),
    );
    await sendEvents(emulator, ...batch);
  }
}

const rows = (page: Page) => page.locator('a.event');
const rowWith = (page: Page, text: string) => rows(page).filter({ hasText: text });
const numbered = (page: Page, number: number) => rowWith(page, `{"number":${number}}`);
const list = (page: Page) => page.locator('.events');
const panel = (page: Page) => page.getByRole('dialog');
const newer = (page: Page) => page.getByRole('button', { name: /new events?$/ });

describe.skipIf(!hasChromium)('the event tracker page (needs Chromium)', () => {
  afterAll(closeBrowser);

  it('tells how to send the first event, and shows it as it arrives', async () => {
    await using emulator = await start();
    const page = await openPage(emulator, '');
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    const snippet = await page.locator('.snippet').textContent();
    expect(snippet).toContain(`curl ${emulator.baseUrl}/api/events/batch/`);
    expect(snippet).toContain(`Authorization: Api-Key ${emulator.apiKey}`);
    await sendEvents(emulator, event({ event: 'first_one' }));
    await rowWith(page, 'first_one').waitFor();
  });

  it('says that a primary key is needed, while there is none', async () => {
    await using emulator = await startEmulator();
    const page = await openPage(emulator, '');
    await page.getByRole('link', { name: 'Select one in the audience section' }).waitFor();
  });

  it('shows the newest first, and what arrives above it', async () => {
    await using emulator = await start(3);
    const page = await openPage(emulator, '');
    await numbered(page, 1).waitFor();
    expect(await rows(page).locator('.event-preview').allTextContents()).toEqual([
      '{"number":3}',
      '{"number":2}',
      '{"number":1}',
    ]);
    await fill(emulator, 1, 'late', 4);
    await expect.poll(() => rows(page).first().textContent()).toContain('late');
    await page.getByText('4 events', { exact: true }).waitFor();
  });

  it.each([DESKTOP, PHONE])('cuts a long name, and not the badge after it: %j', async (size) => {
    await using emulator = await start();
    const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
    const long = event({ event: 'e'.repeat(300), correlationValue: 'c'.repeat(300), uuid });
    await sendEvents(emulator, long);
    await sendEvents(emulator, long);
    const page = await openPage(emulator, '', size);
    await expect.poll(() => rows(page).locator('.badge').allTextContents()).toEqual(['×2', 'no customer']);
    const cut = await rows(page)
      .locator('.badge')
      .evaluateAll((badges) =>
        badges.map((badge) => {
          const edge = badge.parentElement?.getBoundingClientRect().right ?? 0;
          return badge.getBoundingClientRect().right > edge + 1;
        }),
      );
    expect(cut).toEqual([false, false]);
  });

  it('moves nothing while one has scrolled down, and says how many are new', async () => {
    await using emulator = await start(500);
    const page = await openPage(emulator, '');
    await numbered(page, 500).waitFor();
    await list(page).hover();
    await page.mouse.wheel(0, 1_000);
    await expect
      .poll(() => list(page).evaluate((shown) => shown.getBoundingClientRect().top))
      .toBeLessThan(-500);
    await page.evaluate(settled);
    await numbered(page, 420).waitFor();
    const before = await rows(page).allTextContents();
    await fill(emulator, 7, 'late');
    await newer(page).getByText('7 new events').waitFor();
    expect(await rows(page).allTextContents()).toEqual(before);
    await newer(page).click();
    await rowWith(page, 'late').first().waitFor();
    await newer(page).waitFor({ state: 'detached' });
    await fill(emulator, 1, 'later still'); // it follows again
    await rowWith(page, 'later still').waitFor();
  });

  it('stands still while it is paused, and follows again afterwards', async () => {
    await using emulator = await start(5);
    const page = await openPage(emulator, '');
    await numbered(page, 5).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await fill(emulator, 1, 'late');
    await newer(page).getByText('1 new event').waitFor();
    expect(await rowWith(page, 'late').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await rowWith(page, 'late').waitFor();
  });

  it('goes to the search with the key /, unless the user types', async () => {
    await using emulator = await start(1);
    const page = await openPage(emulator, '');
    await numbered(page, 1).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('a/b');
    expect(await page.getByLabel('Search in names, customers and payloads').inputValue()).toBe('a/b');
  });

  it('reads on as one scrolls, and says when a search is the better way to older events', async () => {
    await using emulator = await start(2_500);
    const page = await openPage(emulator, '');
    await numbered(page, 2_500).focus();
    const readOn = async () => {
      await page.keyboard.press('End');
      return page.getByText('These are the first 2,000: search for the others.').count();
    };
    await expect.poll(readOn).toBe(1);
    expect(await rows(page).last().textContent()).toContain('{"number":501}');
    await page.keyboard.press('Home');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('2500}');
  });

  describe('finds events', () => {
    async function startShop(): Promise<Emulator> {
      const emulator = await start();
      await sendEvents(
        emulator,
        event({ event: 'purchase', payload: { title: 'red shoes' } }),
        event({ event: 'purchase', correlationValue: 'bob@example.com', payload: { title: 'blue shoes' } }),
        event({ event: 'item_to_cart', source: 'mobile', payload: { title: 'green hat' } }),
      );
      return emulator;
    }
    const titles = (page: Page) => rows(page).locator('.event-preview').allTextContents();

    it.each([
      ['Search in names, customers and payloads', 'blue sh', '#/tracker?text=blue+sh', 'blue shoes'],
      ['Event name', 'item_to_cart', '#/tracker?name=item_to_cart', 'green hat'],
      ['Customer', 'bob@example.com', '#/tracker?correlationValue=bob%40example.com', 'blue shoes'],
      ['Source', 'mobile', '#/tracker?source=mobile', 'green hat'],
      ['Payload', 'payload.title > h', '#/tracker?payload=payload.title+%3E+h', 'red shoes'],
    ])('by %s, which stands in the address', async (field, text, hash, title) => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '');
      await page.getByLabel(field, { exact: true }).fill(text);
      await page.keyboard.press('Enter');
      await page.getByText('1 event found').waitFor();
      await expect.poll(() => titles(page)).toEqual([`{"title":"${title}"}`]);
      expect(new URL(page.url()).hash).toBe(hash);
      const another = await openPage(emulator, hash);
      await another.getByText('1 event found').waitFor();
      await expect.poll(() => titles(another)).toEqual([`{"title":"${title}"}`]);
      expect(await another.getByLabel(field, { exact: true }).inputValue()).toBe(text);
      await another.getByRole('button', { name: 'Reset filters' }).click();
      await expect.poll(() => titles(another)).toHaveLength(3);
    });

    it('with keys of payloads as columns', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '');
      await page.getByLabel('Keys as columns').fill('payload.title, payload.missing');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => titles(page))
        .toEqual(['"green hat"', '', '"blue shoes"', '', '"red shoes"', '']);
      const heads = page.locator('.list-head > *');
      expect((await heads.allTextContents()).slice(-2)).toEqual(['title', 'missing']);
      await page.getByLabel('Keys as columns').fill('payload."no, key", payload.title');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => titles(page))
        .toEqual(['', '"green hat"', '', '"blue shoes"', '', '"red shoes"']);
      expect((await heads.allTextContents()).slice(-2)).toEqual(['"no, key"', 'title']);
      await page.getByLabel('Keys as columns').fill('title');
      await page.keyboard.press('Enter');
      await page.getByText('keys must be at most 10 keys such as payload.total').waitFor();
    });

    it('marks the words that are searched', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '#/tracker?text=BLUE+sh');
      await expect.poll(() => rows(page).locator('mark').allTextContents()).toEqual(['blue', 'sh']);
    });

    it('by a key that the catalogue names', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '#/catalogue');
      await page.getByText('2 events', { exact: true }).click();
      await page.getByRole('link', { name: 'title' }).first().click();
      await page.getByText('2 events found').waitFor();
      expect(new URL(page.url()).hash).toBe('#/tracker?name=purchase&payload=payload.title');
    });

    it('by values that it offers: those in use that begin with what is typed, most frequent first', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '');
      const field = page.getByLabel('Event name', { exact: true });
      const offered = () =>
        field.evaluate((input: HTMLInputElement) =>
          Array.from(input.list?.options ?? [], ({ value, label }) => `${value} ${label}`),
        );
      await field.focus();
      await expect.poll(offered).toEqual(['purchase 2', 'item_to_cart 1']);
      await field.fill('IT');
      await expect.poll(offered).toEqual(['item_to_cart 1']);
    });

    it('by a name once it is chosen, and Back undoes it', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '');
      await expect.poll(() => titles(page)).toHaveLength(3);
      const field = page.getByLabel('Event name', { exact: true });
      await field.pressSequentially('purchas');
      await expect
        .poll(() => field.evaluate((input: HTMLInputElement) => input.list?.options.length))
        .toBe(1);
      expect(await titles(page)).toHaveLength(3);
      await field.evaluate((input: HTMLInputElement) => {
        input.value = input.list?.options[0]?.value ?? '';
        input.dispatchEvent(new Event('input', { bubbles: true })); // as Chromium does
      });
      await expect.poll(() => titles(page)).toHaveLength(2);
      await page.goBack();
      await expect.poll(() => titles(page)).toHaveLength(3);
    });

    it('of customers that there are not, and shows them as such', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '');
      await rowWith(page, 'bob@example.com').getByText('no customer').waitFor();
      expect(await rows(page).getByText('no customer').count()).toBe(1);
      await page.getByLabel('Customers', { exact: true }).selectOption('No such customer');
      await page.getByText('1 event found').waitFor();
      await expect.poll(() => titles(page)).toEqual(['{"title":"blue shoes"}']);
    });

    it('by the time of their arrival', async () => {
      await using emulator = await startShop();
      const page = await openPage(emulator, '#/tracker?to=2020-01-01T00:00:00.000Z');
      await page.getByText('No event matches.').waitFor();
      await page.getByRole('button', { name: 'Time' }).click();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toMatch(/^20(19|20)-/);
      await page.getByRole('button', { name: 'Last hour' }).click();
      await page.getByText('3 events found').waitFor();
      expect(new URL(page.url()).hash).toMatch(/^#\/tracker\?from=20\d\d-/);
      const from = page.getByLabel('From', { exact: true });
      await expect.poll(() => from.inputValue()).toMatch(/^20\d\d-/);
      await page.getByRole('button', { name: 'Any time' }).click();
      await expect.poll(() => from.inputValue()).toBe('');
    });

    it('as they arrive, and reads on as one scrolls', async () => {
      await using emulator = await start();
      for (let batch = 0; batch < 4; batch += 1) {
        await fill(emulator, 100, 'wanted', batch * 100 + 1);
        await fill(emulator, 1_000, 'other');
      }
      const page = await openPage(emulator, '#/tracker?name=wanted');
      await page.getByText('400 events found').waitFor();
      await fill(emulator, 1, 'other');
      await fill(emulator, 1, 'wanted', 401);
      await numbered(page, 401).waitFor();
      await rows(page).first().focus();
      const readOn = async () => {
        await page.keyboard.press('End');
        return numbered(page, 1).count();
      };
      await expect.poll(readOn).toBe(1);
      expect(await rows(page).count()).toBe(401);
    });
  });

  describe('opens an event', () => {
    const UUID = '01234567-89ab-4cde-8f01-23456789abcd';
    const exact = '12345678901234567890.1230';

    async function startWithOne(): Promise<Emulator> {
      const emulator = await start(3);
      const body = JSON.stringify({
        batch: [event({ event: 'opened', uuid: UUID, payload: { amount: 0, deep: [{ er: 'żółw' }] } })],
      });
      for (let sent = 0; sent < 2; sent += 1)
        await send(emulator, body.replace('"amount":0', `"amount":${exact}`));
      return emulator;
    }

    it('to its payload as it was written, its customer, its request, and the repeats of its uuid', async () => {
      await using emulator = await startWithOne();
      const page = await openPage(emulator, '');
      await rowWith(page, 'opened').click();
      await panel(page).getByRole('heading', { name: 'opened' }).waitFor();
      expect(await panel(page).locator('.json').first().textContent()).toBe(
        `{  "amount": ${exact},  "deep": [    {      "er": "żółw"    }  ]}`,
      );
      const links = panel(page).getByRole('link');
      await links.getByText('ada@example.com').waitFor();
      const targets = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      await expect
        .poll(targets)
        .toEqual([
          '#/audience?value=ada%40example.com',
          '#/tracker?correlationValue=ada%40example.com',
          '#/requests/2',
          '#/requests/3',
        ]);
      await panel(page).getByText('Received 2 times, stored once').waitFor();
      expect(new URL(page.url()).hash).toBe('#/tracker/4');
      await fill(emulator, 1, 'late');
      await newer(page).getByText('1 new event').waitFor();
      await panel(page).getByRole('button', { name: 'Close' }).click();
      await rowWith(page, 'late').waitFor(); // the list follows again
    });

    it('by the keyboard, and gives the focus back when it is closed', async () => {
      await using emulator = await startWithOne();
      const page = await openPage(emulator, '');
      await numbered(page, 3).waitFor();
      await rows(page).first().focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await expect.poll(focused).toContain('{"number":3}');
      await page.keyboard.press('Enter');
      await panel(page).getByRole('heading', { name: 'step' }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
      await panel(page).getByRole('button', { name: 'Row above' }).click();
      await panel(page).getByRole('heading', { name: 'opened' }).waitFor();
      await page.keyboard.press('Escape');
      await panel(page).waitFor({ state: 'detached' });
      await expect.poll(focused).toContain('{"number":3}');
      expect(new URL(page.url()).hash).toBe('#/tracker');
    });

    it('by its address, on the whole screen of a phone', async () => {
      await using emulator = await startWithOne();
      const page = await openPage(emulator, '#/tracker/4', PHONE);
      await panel(page).getByRole('heading', { name: 'opened' }).waitFor();
      expect(await panel(page).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
      await page.keyboard.press('Escape');
      await panel(page).waitFor({ state: 'detached' });
      await rowWith(page, 'step').first().click();
      await panel(page).getByRole('heading', { name: 'step' }).waitFor();
      await page.goBack();
      await panel(page).waitFor({ state: 'detached' });
    });

    it('that is of no customer, and says what that means', async () => {
      await using emulator = await start();
      await sendEvents(emulator, event({ correlationValue: 'bob@example.com' }));
      const page = await openPage(emulator, '#/tracker/1');
      await panel(page).getByText('Not attributed.').waitFor();
      expect(await panel(page).getByRole('link', { name: 'Add the customer' }).getAttribute('href')).toBe(
        '#/audience?value=bob%40example.com',
      );
    });

    it('that is not there, and says so', async () => {
      await using emulator = await start(1);
      const page = await openPage(emulator, '#/tracker/7');
      await panel(page).getByRole('alert').getByText('There is no event with this id').waitFor();
    });
  });

  it('interprets nothing of an event as HTML', async () => {
    const html = '<img src=x onerror="document.title=`run`"><b>bold</b>';
    await using emulator = await startEmulator({
      primaryKey: 'email',
      customers: [{ email: html, first_name: html }],
    });
    await sendEvents(
      emulator,
      event({
        event: html,
        correlationValue: html,
        source: html,
        payload: { [html]: html },
      }),
    );
    const page = await openPage(emulator, '#/tracker/1');
    await panel(page).locator('.json').getByText('<img').first().waitFor();
    await panel(page).getByText('The whole event, as received').click();
    await page.getByRole('button', { name: html, exact: true }).click(); // in the chart, after its second has ended
    await page.getByText('1 event found').waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe('Event tracker · Sluice emulator');
    expect(await rows(page).textContent()).toContain('<img');
  });

  it('counts events per second by name', async () => {
    await using emulator = await start();
    await fill(emulator, 30, 'frequent');
    await fill(emulator, 3, 'rare');
    const page = await openPage(emulator, '');
    await page.getByText('Events per second: 33 events in the last 5 minutes').waitFor();
    await page.locator('figcaption', { hasText: /frequent30.*rare3/ }).waitFor();
    await page.getByRole('button', { name: 'rare', exact: true }).click();
    await page.getByText('3 events found').waitFor();
  });

  it('exports what is found', async () => {
    await using emulator = await start(5);
    await fill(emulator, 2, 'wanted');
    const page = await openPage(emulator, '#/tracker?name=wanted');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).not.toContain('step');
  });

  it('says so while the emulator does not answer, and goes on when it does', async () => {
    await using emulator = await start(2);
    const page = await openPage(emulator, '');
    await numbered(page, 2).waitFor();
    await emulator.suspend();
    await page.getByText('The emulator does not answer.').waitFor();
    await numbered(page, 2).waitFor();
    await emulator.resume();
    await page.getByText('The emulator does not answer.').waitFor({ state: 'detached' });
    await fill(emulator, 1, 'late');
    await rowWith(page, 'late').waitFor();
    await page.getByText(/Events per second: 3 events/).waitFor();
  });

  it('says in an event why it shows nothing, while the emulator does not answer', async () => {
    await using emulator = await start(2);
    const page = await openPage(emulator, '', PHONE);
    await rowWith(page, 'step').first().waitFor();
    await emulator.suspend();
    await page.getByText('The emulator does not answer.').waitFor();
    await rows(page).first().click();
    await panel(page).getByText('The emulator does not answer.').waitFor();
    await emulator.resume();
    await panel(page).locator('.json').first().waitFor();
    expect(await panel(page).getByText('The emulator does not answer.').count()).toBe(0);
  });

  it('lists names in the catalogue from the first event on', async () => {
    await using emulator = await start();
    const page = await openPage(emulator, '#/catalogue');
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    await fill(emulator, 1);
    await page.getByText('1 name in 1 event').waitFor();
  });

  it('begins anew with another emulator at its address', async () => {
    const before = await start(3);
    const page = await openPage(before, '');
    await numbered(page, 3).waitFor();
    await before.close();
    const apiPort = Number(new URL(before.apiUrl).port);
    await using emulator = await startEmulator({ apiPort, primaryKey: 'email', customers: CUSTOMERS });
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    await fill(emulator, 2, 'another');
    await rowWith(page, 'another').first().waitFor();
    expect(await rows(page).count()).toBe(2);
  });
});
