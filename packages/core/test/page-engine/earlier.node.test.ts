import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeEvents } from '../../src/base/event-bytes.ts';
import { createTracker } from '../../src/entries/testing/testing.ts';
import type { Tracker } from '../../src/index.ts';
import { createIndexedDbJournal, type IndexedDbJournal } from '../../src/keep/page/indexeddb-journal.ts';
import { IndexedDbNote } from '../../src/keep/page/indexeddb-note.ts';
import { databaseName } from '../../src/keep/page/origin.ts';
import { allPageParts } from '../../src/page-engine/all-parts.ts';
import { createWith, pageDefaults } from '../../src/page-engine/page-tracker.ts';
import { FakeChannel, FakeOrigin } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered } from '../bench/scripted-transport.ts';

/** An origin whose pages may have an earlier version, with the engine for all places, and the present one. */
let origin: FakeOrigin;
let trackers: Tracker[];
let journals: IndexedDbJournal[];
const account = () => ({ baseUrl: 'http://service.test/', correlationKey: 'email', account: origin.name });
const nameOf = (part?: string) => databaseName(account(), part);
const meeting = () => ({
  locks: origin.locks,
  createChannel: (name: string) => new FakeChannel(origin, name) as unknown as BroadcastChannel,
});

beforeEach(() => {
  origin = new FakeOrigin();
  trackers = [];
  journals = [];
});

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const tracker of trackers) {
    const closing = tracker.close({ timeoutMs: 0 });
    await origin.pass(10);
    await closing;
  }
  for (const journal of journals) await journal.close();
});

const transport = {
  post: async (request: never) => (await origin.post(request)).outcome,
  close: async () => {},
};

function openPage(options: object = {}): Tracker {
  const tracker = createWith(
    { ...account(), transport, batch: { maxWaitMs: 100 }, ...options },
    { ...pageDefaults, parts: Object.assign({}, pageDefaults.parts, allPageParts), clock: origin.clock },
    meeting(),
  );
  trackers.push(tracker);
  return tracker;
}

async function openJournal(part?: string): Promise<IndexedDbJournal> {
  const journal = createIndexedDbJournal(nameOf(part), meeting(), origin.clock);
  journals.push(journal);
  await journal.open({ recovered: () => {}, damaged: () => {}, failed: () => {} } as never);
  return journal;
}

let number = 0;
function textOf(name: string, customer = 'ada@example.com'): string {
  number += 1;
  return JSON.stringify({ uuid: `uuid-${number}`, event: name, correlationValue: customer });
}

async function append(journal: IndexedDbJournal, texts: readonly string[], at = origin.clock.now()) {
  return journal.append(
    encodeEvents(
      texts,
      texts.map(() => at),
    ),
  );
}

const texts = (count: number, name = 'earlier') => Array.from({ length: count }, () => textOf(name));
const counts = () => [...origin.received.values()];

async function keysOf(name: string): Promise<readonly IDBValidKey[]> {
  const db = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
  });
  const keys = await new Promise<IDBValidKey[]>((resolve) => {
    const request = db.transaction('records').objectStore('records').getAllKeys();
    request.onsuccess = () => resolve(request.result);
  });
  db.close();
  return keys.filter(Array.isArray);
}

describe('what pages with an earlier version left', () => {
  it('is sent once, and nothing of it is left there', async () => {
    const journal = await openJournal();
    await append(journal, texts(30));
    await append(journal, texts(20));
    await journal.close();
    const page = openPage();
    await origin.pass(3_000);
    expect(counts()).toEqual(Array.from({ length: 50 }, () => 1));
    expect(page.stats()).toMatchObject({ recovered: 50, delivered: 50, pending: 0 });
    expect(await keysOf(nameOf())).toEqual([]);
    expect(await keysOf(nameOf('parcels'))).toEqual([['earlier', expect.any(Number)]]);
  });

  it('is sent once where two pages open at the same time', async () => {
    const journal = await openJournal();
    for (let record = 0; record < 120; record += 1) await append(journal, texts(3));
    await journal.close();
    const pages = [openPage(), openPage()];
    await origin.pass(70_000, 1_000);
    expect(counts()).toEqual(Array.from({ length: 360 }, () => 1));
    for (const page of pages) expect(page.stats()).toMatchObject({ pending: 0 });
  });

  it('is not doubled by a page that ended after it was moved, and before it was removed there', async () => {
    const journal = await openJournal();
    await append(journal, texts(30));
    await journal.close();
    const { delete: remove } = IDBObjectStore.prototype;
    const failing = vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function (
      this: IDBObjectStore,
      key,
    ) {
      if (this.transaction.db.name === nameOf() && Array.isArray(key)) throw new Error('the page is gone');
      return remove.call(this, key);
    });
    openPage();
    await origin.pass(3_000);
    expect(origin.received.size).toBe(30);
    failing.mockRestore();
    openPage();
    await origin.pass(3_000);
    expect(counts()).toEqual(Array.from({ length: 30 }, () => 1));
    expect(await keysOf(nameOf())).toEqual([]);
  });

  it('is left to it while it may see an answer, and comes once more where nobody saw one', async () => {
    const journal = await openJournal();
    const [leased, left] = [await append(journal, texts(10)), await append(journal, texts(5))];
    journal.sharing?.lease?.([leased], 30_000);
    const page = openPage();
    await origin.pass(10_000, 250);
    expect(page.stats()).toMatchObject({ recovered: 5, delivered: 5 });
    await journal.acknowledge(left);
    await origin.pass(80_000, 1_000);
    expect(page.stats()).toMatchObject({ recovered: 15, delivered: 15, maybeDuplicate: 10, pending: 0 });
  });

  it.each([
    [1, 'once', 0],
    [0, 'once', 10],
    [1, 'at-least-once', 10],
    [2, 'at-least-once', 0],
  ] as const)(
    'whose last request nobody saw answered, with %i in its lease and leaving %s, is sent: %i events',
    async (wasAlive, leaving, sent) => {
      const journal = await openJournal();
      const range = await append(journal, texts(15));
      const db = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(nameOf());
        request.onsuccess = () => resolve(request.result);
      });
      const [key] = (await keysOf(nameOf())) as [[string, number, number, number]];
      const until = origin.clock.now() - 1_000;
      const writing = db.transaction('records', 'readwrite');
      writing.objectStore('records').put(-1, [key[0], 0, 10, -1, until, 30_000, wasAlive]);
      await new Promise((resolve) => writing.addEventListener('complete', resolve));
      db.close();
      await journal.close();
      const page = openPage({ leaving });
      await origin.pass(10_000, 250);
      expect([range.to, origin.received.size]).toEqual([15, 5 + sent]);
      expect(page.stats()).toMatchObject({ pending: 0, maybeDuplicate: sent });
    },
  );

  it('is found in localStorage, too', async () => {
    vi.stubGlobal('localStorage', new FakeStorage());
    const journal = await openJournal();
    const text = textOf('spilled');
    localStorage.setItem(
      `${nameOf()} ${JSON.stringify(['a life', 0, 1, text.length])}`,
      [text.length, origin.clock.now(), text].join('\n'),
    );
    await journal.close();
    openPage();
    await origin.pass(3_000);
    expect(counts()).toEqual([1]);
    expect(Object.keys(localStorage).filter((name) => name.startsWith(`${nameOf()} [`))).toEqual([]);
  });

  it('is the customer of its session, and what was held is this customer’s', async () => {
    const note = new IndexedDbNote(nameOf('session'), meeting(), origin.clock);
    await note.change(() => 'a-session');
    const held = await openJournal('unidentified');
    const nobodys = textOf('held', '').slice(1);
    const others = textOf('of another session', '').slice(1);
    await append(held, [`{"session":"a-session",${nobodys}`, `{"session":"before",${others}`]);
    await held.close();
    note.close();
    const bodies: string[] = [];
    origin.respond = (_events, { body }) => {
      bodies.push(new TextDecoder().decode(body));
      return answered(200);
    };
    const page = openPage();
    await origin.pass(1_000);
    expect(page.stats()).toMatchObject({ held: 1 });
    page.identify('ada@example.com');
    await page.durable();
    await origin.pass(3_000);
    expect(origin.received.size).toBe(1);
    expect(bodies.join()).toContain('"event":"held","correlationValue":"ada@example.com"');
    expect(page.stats()).toMatchObject({ held: 0, pending: 0, delivered: 1 });
    expect(page.stats().dropped.unidentified).toBe(1);
    expect(await keysOf(nameOf('unidentified'))).toEqual([]);
  });

  it('is known by the same digest: the customer of an earlier version has the same session', async () => {
    const note = new IndexedDbNote(nameOf('session'), meeting(), origin.clock);
    const digest = await note.digest(JSON.stringify('ada@example.com'));
    await note.change(() => `a-session ${digest}`);
    note.close();
    const page = openPage();
    page.identify('ada@example.com');
    await origin.pass(1_000);
    await page.durable();
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(nameOf('parcels'));
      request.onsuccess = () => resolve(request.result);
    });
    const stored = await new Promise((resolve) => {
      const request = db.transaction('records').objectStore('records').get('note');
      request.onsuccess = () => resolve(request.result);
    });
    db.close();
    expect(stored).toBe(`a-session ${digest}`);
  });

  it('are its dead letters', async () => {
    const letters = await openJournal('dead-letters');
    const letter = `{"id":"a-letter","at":"2026-11-20T00:00:00.000Z","status":400,"excerpt":"no","event":${textOf('bad')}}`;
    await append(letters, [letter]);
    await letters.close();
    openPage();
    await origin.pass(1_000);
    expect(await keysOf(nameOf('parcels'))).toContainEqual([
      'letter',
      Date.parse('2026-11-20T00:00:00.000Z'),
      'a-letter',
      letter.length,
    ]);
    expect(await keysOf(nameOf('dead-letters'))).toEqual([]);
  });

  it('is looked for no longer than 30 days after the first look, and then its databases are gone', async () => {
    const journal = await openJournal();
    await journal.close();
    const page = openPage();
    await origin.pass(1_000);
    await page.close({ timeoutMs: 0 });
    const late = await openJournal();
    await append(late, texts(5));
    await late.close();
    await origin.clock.advance(31 * 24 * 3_600_000);
    openPage();
    await origin.pass(1_000);
    expect(counts()).toEqual([1, 1, 1, 1, 1]);
    const names = (await indexedDB.databases()).map(({ name }) => name);
    expect(names).not.toContain(nameOf());
    expect(await keysOf(nameOf('parcels'))).toContainEqual(['earlier', 0]);
  });
});

describe.skipIf(process.env.SLUICE_ENGINE)('a page with an earlier version that is still open', () => {
  it('and one with this version send what each tracks once, whoever opened first', async () => {
    const old = () => {
      const tracker = createTracker({
        ...account(),
        clock: origin.clock,
        transport,
        journal: createIndexedDbJournal(nameOf(), meeting(), origin.clock),
        batch: { maxWaitMs: 100 },
      });
      trackers.push(tracker);
      return tracker;
    };
    const pages = [old(), openPage(), old(), openPage()];
    let isAway = true;
    origin.respond = () => answered(isAway ? 503 : 200);
    for (const page of pages) page.identify('ada@example.com');
    for (let round = 0; round < 20; round += 1) {
      isAway = round % 5 !== 4;
      for (const page of pages) for (let event = 0; event < 7; event += 1) page.track('event');
      if (round === 10) pages.push(openPage());
      pages[4]?.identify('ada@example.com');
      await origin.pass(5_000, 250);
    }
    isAway = false;
    await origin.pass(15 * 60_000, 1_000);
    expect(new Set(counts())).toEqual(new Set([1]));
    expect(origin.received.size).toBe(20 * 7 * 4 + 9 * 7);
    for (const page of pages) expect(page.stats()).toMatchObject({ pending: 0 });
  });
});
