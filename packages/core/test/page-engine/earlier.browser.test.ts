import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, inject, it } from 'vitest';
import { EventTexts } from '../../src/accept/event-text.ts';
import { UNIDENTIFIED } from '../../src/accept/unidentified.ts';
import { encodeEvents } from '../../src/base/event-bytes.ts';
import { uuid } from '../../src/base/uuid.ts';
import { createTracker as createEarlierTracker } from '../../src/index.ts';
import { createIndexedDbJournal } from '../../src/keep/page/indexeddb-journal.ts';
import { IndexedDbNote } from '../../src/keep/page/indexeddb-note.ts';
import { databaseName, meeting } from '../../src/keep/page/origin.ts';
import { createTracker } from '../../src/page-engine/page-tracker.ts';

const { apiUrl, apiKey, baseUrl: address } = inject('emulator');
/** Another host name, so that other tests find nothing of these. */
const baseUrl = `${address.replace('127.0.0.1', 'localhost')}/`;

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

/** Without a customer, nobody's. */
function textsOf(event: string, number: number, correlationValue?: string): string[] {
  const texts = new EventTexts('email', 'test', 64 * 1024, UNIDENTIFIED);
  return Array.from({ length: number }, () => texts.create(event, {}, { correlationValue }, Date.now()));
}

/** A page with an earlier version that stored these and is gone. */
async function leave(name: string, records: readonly string[][]): Promise<void> {
  const journal = createIndexedDbJournal(name, meeting(), systemClock);
  for (const texts of records)
    await journal.append(
      encodeEvents(
        texts,
        texts.map(() => Date.now()),
      ),
    );
  await journal.sync();
  await journal.close();
}

describe('pages with an earlier version and with this one', () => {
  const accountOf = () => ({ baseUrl, apiKey, correlationKey: 'email', account: uuid() });

  it('deliver what the earlier ones left once, where several open at once', async () => {
    const account = accountOf();
    const name = `earlier-${uuid()}`;
    await leave(
      databaseName(account),
      Array.from({ length: 120 }, () => textsOf(name, 5, 'ada@example.com')),
    );
    const pages = [1, 2, 3].map(() => createTracker(account));
    await expect.poll(() => count(name)).toEqual({ unique: 600, received: 600 });
    await Promise.all(pages.map((page) => page.close({ timeoutMs: 1_000 })));
    const later = createTracker(account);
    await later.flush();
    expect(later.stats().recovered).toBe(0);
    expect(await count(name)).toEqual({ unique: 600, received: 600 });
    await later.close({ timeoutMs: 0 });
  });

  it.skipIf(process.env.SLUICE_ENGINE)('deliver what each tracks once, side by side', async () => {
    const account = accountOf();
    const name = `beside-${uuid()}`;
    const create = [createEarlierTracker, createTracker, createEarlierTracker, createTracker];
    const pages = create.map((open) => open({ ...account, batch: { maxWaitMs: 50 } }));
    for (const page of pages) page.identify('ada@example.com');
    for (let round = 0; round < 20; round += 1) {
      for (const page of pages) for (let event = 0; event < 5; event += 1) page.track(name);
      if (round % 5 === 0) pages.push(createTracker(account));
      for (const page of pages.slice(4)) page.identify('ada@example.com');
      await new Promise(requestAnimationFrame);
    }
    await Promise.all(pages.map((page) => page.flush()));
    const tracked = pages.reduce((sum, page) => sum + page.stats().accepted, 0);
    expect(tracked).toBeGreaterThanOrEqual(20 * 4 * 5);
    await expect.poll(() => count(name)).toEqual({ unique: tracked, received: tracked });
    await Promise.all(pages.map((page) => page.close({ timeoutMs: 0 })));
  });

  it('know the customer of the session, and what it held, with the same key', async () => {
    const account = accountOf();
    const name = `held-${uuid()}`;
    const note = new IndexedDbNote(databaseName(account, 'session'), meeting(), systemClock);
    await note.change(() => 'a-session');
    await note.digest('any');
    note.close();
    await leave(databaseName(account, 'unidentified'), [
      textsOf(name, 10).map((text) => `{"session":"a-session",${text.slice(1)}`),
    ]);
    const page = createTracker(account);
    await expect.poll(() => page.stats().held).toBe(10);
    page.identify('ada@example.com');
    await page.flush();
    expect(await count(name)).toEqual({ unique: 10, received: 10 });
    await page.close({ timeoutMs: 0 });
  });
});
