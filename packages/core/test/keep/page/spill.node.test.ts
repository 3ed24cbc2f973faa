import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drain } from '../../../src/entries/service-worker.ts';
import { createIndexedDbJournal, type IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { databaseName } from '../../../src/keep/page/origin.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { FakeStorage } from '../../bench/fake-storage.ts';
import { group, readAll, Witness } from '../../contracts/journal-contract.ts';

const locks = new FakeLocks();

describe('what a page writes as it is left', () => {
  let page: EventTarget;
  let storage: FakeStorage;

  beforeEach(() => {
    page = new EventTarget();
    storage = new FakeStorage();
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    vi.stubGlobal('localStorage', storage);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  async function open(name: string): Promise<IndexedDbJournal> {
    const journal = createIndexedDbJournal(name, { locks }, systemClock);
    await journal.open(new Witness());
    return journal;
  }

  /** A browser that loses each write from now on, as WebKit does once a page is left. */
  function loseWrites(): { mockRestore(): void } {
    return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('the page is gone', 'AbortError');
    });
  }

  /** A page for which the browser opens the database only when it is told to. */
  function holdOpening(): { journal: IndexedDbJournal; release: () => void } {
    const request: Partial<IDBOpenDBRequest> & { onsuccess?: unknown } = {};
    vi.spyOn(indexedDB, 'open').mockReturnValueOnce(request as IDBOpenDBRequest);
    const release = () => {
      const opening = indexedDB.open('late');
      opening.onsuccess = (event) => {
        Object.assign(request, { result: opening.result });
        (request.onsuccess as (event: Event) => void)(event);
      };
    };
    return { journal: createIndexedDbJournal('late', { locks }, systemClock), release };
  }

  /** What the next page finds. */
  async function next(name: string): Promise<string[]> {
    const journal = createIndexedDbJournal(name, { locks }, systemClock);
    const witness = new Witness();
    await journal.open(witness);
    const found = await readAll(journal, witness.ranges);
    await journal.close();
    return found;
  }

  it('is there for the next page, though the browser loses it', async () => {
    const journal = await open('lost');
    const losing = loseWrites();
    const before = journal.append(group(['{"before":"ä"}', '2']));
    page.dispatchEvent(new Event('pagehide'));
    const after = journal.append(group(['3']));
    await Promise.allSettled([before, after]);
    losing.mockRestore();
    expect(await next('lost')).toEqual(['{"before":"ä"}', '2', '3']);
    expect(Object.keys(storage)).toEqual([]);
  });

  it('is there once, if the browser does not lose it', async () => {
    const journal = await open('stored');
    const append = journal.append(group(['1']));
    page.dispatchEvent(new Event('pagehide'));
    await append;
    expect(Object.keys(storage)).toHaveLength(1);
    expect(await next('stored')).toEqual(['1']);
    expect(await next('stored')).toEqual(['1']);
  });

  it('is not there any more once a service worker has sent it, which cannot see what was spilled', async () => {
    const options = { baseUrl: 'https://relay.example/', correlationKey: 'email' };
    const post = vi.fn(async () => new Response());
    vi.stubGlobal('fetch', post);
    vi.stubGlobal('navigator', { locks });
    const journal = await open(databaseName(options));
    const append = journal.append(group(['1']));
    page.dispatchEvent(new Event('pagehide'));
    await append;
    await drain(options);
    expect(post).toHaveBeenCalledOnce();
    let passedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    const next = createIndexedDbJournal(databaseName(options), { locks }, clock);
    const witness = new Witness();
    const settled = vi.fn();
    await next.open(Object.assign(witness, { settled }));
    // From then on, a page takes up what nobody knows the end of.
    passedMs = 10_000;
    await next.refresh();
    expect(settled).toHaveBeenCalledExactlyOnceWith({ segment: 1, from: 0, to: 1 }, 'delivered');
    expect(await readAll(next, witness.ranges)).toEqual([]);
    await next.close();
    await drain(options);
    expect(post).toHaveBeenCalledOnce();
  });

  it('is not stored again by a page for which the database opens only once another page has dealt with it', async () => {
    const journal = await open('late');
    const append = journal.append(group(['1']));
    page.dispatchEvent(new Event('pagehide'));
    await append;
    const first = createIndexedDbJournal('late', { locks }, systemClock);
    const found = new Witness();
    const late = holdOpening();
    const opened = late.journal.open(new Witness());
    await first.open(found);
    for (const range of found.ranges) await first.acknowledge(range);
    late.release();
    await opened;
    await Promise.all([first.close(), late.journal.close()]);
    expect(await next('late')).toEqual([]);
  });

  it('is leased as it was to be', async () => {
    const journal = await open('lost lease');
    const range = await journal.append(group(['1']));
    const losing = loseWrites();
    page.dispatchEvent(new Event('pagehide'));
    const append = journal.append(group(['2']));
    journal.lease([range], 30_000, true);
    await expect(append).rejects.toThrow();
    losing.mockRestore();
    expect(await next('lost lease')).toEqual([]);
  });

  it('is not spilled any more once the page is back: it still has it', async () => {
    const journal = await open('back');
    const append = journal.append(group(['1']));
    page.dispatchEvent(new Event('pagehide'));
    expect(Object.keys(storage)).toHaveLength(1);
    page.dispatchEvent(new Event('pageshow'));
    expect(Object.keys(storage)).toEqual([]);
    await append;
    await journal.append(group(['2']));
    expect(Object.keys(storage)).toEqual([]);
    expect(await next('back')).toEqual(['1', '2']);
  });

  it('takes no more than 256 Ki characters of what the site may store', async () => {
    const journal = await open('bounded');
    page.dispatchEvent(new Event('pagehide'));
    for (let number = 0; number < 40; number += 1)
      await journal.append(group([JSON.stringify('x'.repeat(10_000))]));
    const lengths = Object.values(storage).map((text) => String(text).length);
    expect(lengths.length).toBeGreaterThan(20);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(256 * 1024);
    expect(await next('bounded')).toHaveLength(40);
  });

  it.each([
    ['is hidden', undefined],
    ['is full', new DOMException('full', 'QuotaExceededError')],
  ])('is stored as ever where localStorage %s', async (_, error) => {
    if (error === undefined) vi.stubGlobal('localStorage', undefined);
    else
      vi.spyOn(storage, 'setItem').mockImplementation(() => {
        throw error;
      });
    const journal = await open(`without ${error?.name}`);
    page.dispatchEvent(new Event('pagehide'));
    await journal.append(group(['1']));
    expect(await next(`without ${error?.name}`)).toEqual(['1']);
  });
});
