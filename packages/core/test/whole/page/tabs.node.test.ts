import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeOrigin, type FakeTab } from '../../bench/fake-origin.ts';
import { FakeStorage } from '../../bench/fake-storage.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

/** How long other pages wait for the answer to a request, in milliseconds. */
const LEASE_MS = 30_000;

const MINUTE = 60_000;

let origin: FakeOrigin;

beforeEach(() => {
  origin = new FakeOrigin();
});

afterEach(() => {
  vi.unstubAllGlobals();
  return origin.close();
});

function openTabs(count: number): FakeTab[] {
  return Array.from({ length: count }, () => origin.openTab());
}

/** Flushes, and lets the time pass. */
async function flush({ tracker }: FakeTab, timeoutMs = 30_000) {
  const flushed = tracker.flush({ timeoutMs });
  await origin.pass(timeoutMs, 250);
  return flushed;
}

function down() {
  return answered(500);
}

describe('tabs of one origin', () => {
  it('each send what they track, one at a time, and each event once', async () => {
    const tabs = openTabs(5);
    for (const [index, tab] of tabs.entries()) tab.track(20 + index);
    await origin.pass(2_000);
    expect(origin.received.size).toBe(110);
    expect([...origin.received.values()].every((times) => times === 1)).toBe(true);
    expect(origin.mostOpen).toBe(1);
    for (const [index, { tracker, imbalance }] of tabs.entries()) {
      expect(tracker.stats().accepted).toBe(20 + index);
      expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
    }
  });

  it('have nothing scheduled, and no lock, once nothing waits', async () => {
    const tabs = openTabs(3);
    for (const tab of tabs) tab.track(5);
    await origin.pass(20_000, 250);
    expect(origin.clock.timers).toBe(0);
    let isFree = false;
    await origin.locks.request(origin.database, { ifAvailable: true }, (lock) => {
      isFree = lock !== null;
    });
    expect(isFree).toBe(true);
  });

  it('find what a tab left that died before it could send, without anything being tracked', async () => {
    const [first, second] = openTabs(2);
    await origin.pass(10);
    first?.track(50);
    origin.respond = () => new Promise(() => {});
    await origin.pass(90);
    await first?.tracker.durable();
    first?.kill();
    origin.respond = () => answered(200);
    await origin.pass(12_000);
    expect(origin.received.size).toBe(50);
    expect(second?.tracker.stats()).toMatchObject({ recovered: 50, delivered: 50, pending: 0 });
  });

  it('find what a tab left that died in line behind one that knew of it, and not of all', async () => {
    const [first, second] = openTabs(2);
    await origin.pass(10);
    first?.track(20);
    await first?.tracker.durable();
    const answers: (() => void)[] = [];
    origin.respond = () => new Promise((resolve) => answers.push(() => resolve(answered(200))));
    second?.track(5);
    const flushed = second?.tracker.flush({ timeoutMs: 1_000 });
    await origin.pass(100);
    expect(second?.tracker.stats()).toMatchObject({ recovered: 20 });
    first?.track(10);
    await first?.tracker.durable();
    first?.kill();
    origin.respond = () => answered(200);
    for (const answer of answers) answer();
    await origin.pass(12_000);
    await flushed;
    expect(second?.tracker.stats()).toMatchObject({ recovered: 30, delivered: 35, pending: 0 });
  });

  it('replace a tab at once that dies while it sends; what is in its request goes again once its lease has ended', async () => {
    const [first, second] = openTabs(2);
    await origin.pass(10);
    origin.respond = () => new Promise(() => {});
    first?.track(50);
    await origin.pass(500);
    expect(origin.open).toBe(1);
    origin.respond = () => answered(200);
    first?.kill();
    second?.track(10);
    await origin.pass(2_000);
    expect(second?.tracker.stats()).toMatchObject({
      recovered: 0,
      delivered: 10,
      pending: 0,
      maybeDuplicate: 0,
    });
    await origin.pass(LEASE_MS + 10_000, 500);
    expect(second?.tracker.stats()).toMatchObject({ recovered: 50, delivered: 60, maybeDuplicate: 50 });
  });

  it.each([
    ['at-least-once', { received: 2, maybeDuplicate: 50 }],
    ['once', { received: 1, maybeDuplicate: 0 }],
  ] as const)(
    'send again %s what a tab had in a request that was answered before',
    async (leaving, expected) => {
      vi.stubGlobal('localStorage', new FakeStorage());
      const first = origin.openTab({}, true, leaving);
      first.track(10);
      await origin.pass(2_000);
      const answers: (() => void)[] = [];
      origin.respond = () => new Promise((resolve) => answers.push(() => resolve(answered(200))));
      first.track(50, 'last');
      await origin.pass(500);
      first.kill();
      for (const answer of answers) answer();
      origin.respond = () => answered(200);
      const next = origin.openTab({}, true, leaving);
      await origin.pass(LEASE_MS + 20_000, 500);
      expect([...origin.received.values()].slice(10)).toEqual(
        Array.from({ length: 50 }, () => expected.received),
      );
      expect(next.tracker.stats()).toMatchObject({
        recovered: 50,
        delivered: 50,
        pending: 0,
        maybeDuplicate: expected.maybeDuplicate,
      });
      expect(next.imbalance).toBe(0);
    },
  );

  it('replace a tab that is left while it sends, at once, and send nothing again that it has in requests', async () => {
    const [first, second] = openTabs(2);
    await origin.pass(10);
    const answers: (() => void)[] = [];
    origin.respond = () => new Promise((resolve) => answers.push(() => resolve(answered(200))));
    first?.track(50);
    await origin.pass(500);
    first?.track(5);
    await origin.pass(300);
    first?.kill();
    origin.respond = () => answered(200);
    await origin.pass(LEASE_MS - 2_000, 500);
    expect(origin.received.size).toBe(5);
    expect(second?.tracker.stats()).toMatchObject({ recovered: 5, delivered: 5, maybeDuplicate: 0 });
  });

  it('count as delivered what another tab delivered, and a flush ends with it', async () => {
    const [first, second] = openTabs(2);
    origin.respond = down;
    first?.track(30);
    await origin.pass(2_000);
    second?.track(10);
    await origin.pass(2_000);
    origin.respond = () => answered(200);
    const report = await (second && flush(second, 3 * MINUTE));
    expect(report).toMatchObject({ pending: 0 });
    await origin.pass(10);
    for (const tab of [first, second]) expect([tab?.tracker.stats().pending, tab?.imbalance]).toEqual([0, 0]);
    expect(first?.tracker.stats()).toMatchObject({ accepted: 30 });
    expect([...origin.received.values()].every((times) => times === 1)).toBe(true);
  });

  it('count as a dead letter what the service refused of another tab', async () => {
    const [first, second] = openTabs(2);
    origin.respond = down;
    first?.track(1, 'bad');
    await origin.pass(2_000);
    // The first tab waits in the background, the second one sends.
    origin.respond = (events) => answered(events.some(({ event }) => event === 'bad') ? 400 : 200);
    for (let minute = 0; minute < 5; minute += 1) {
      second?.track(4, 'good');
      await origin.pass(MINUTE, 500);
    }
    for (const tab of [first, second]) expect([tab?.tracker.stats().pending, tab?.imbalance]).toEqual([0, 0]);
    expect(first?.tracker.stats()).toMatchObject({ accepted: 1, deadLettered: 1 });
    expect(origin.received.size).toBe(20);
  });

  it('ask at once as a page opens, where somebody else answered in place of the service', async () => {
    const [first] = openTabs(1);
    origin.respond = () => answered(200, { body: '<html>Sign in to the network</html>' });
    first?.track(5);
    await origin.pass(2_000);
    expect(first?.tracker.stats().pause).toMatchObject({ reason: 'intercepted' });
    first?.kill();
    origin.respond = () => answered(200);
    openTabs(1);
    await origin.pass(2_000);
    expect(origin.received.size).toBe(5);
  });

  it('ask at once as a page opens after an outage, with one small request, and deliver all if it is answered', async () => {
    const [first] = openTabs(1);
    origin.respond = down;
    first?.track(1_000);
    // Long enough that the next request is a minute away.
    await origin.pass(2 * MINUTE, 1_000);
    first?.kill();
    const before = origin.times.length;
    origin.openTab();
    await origin.pass(3_000);
    expect(origin.times.length).toBe(before + 1);
    origin.respond = () => answered(200);
    origin.openTab();
    await origin.pass(3_000);
    expect(origin.received.size).toBe(1_000);
  });

  it('rest no longer than a pause was when it was found, though the clock was set back since', async () => {
    origin.respond = () => answered(503, { retryAfter: '600' });
    const first = origin.openTab();
    first.track(10);
    await origin.pass(2_000);
    first.kill();
    origin.skewMs = -60 * MINUTE;
    origin.respond = () => answered(200);
    origin.openTab();
    await origin.pass(5 * MINUTE, 500);
    expect(origin.received.size).toBe(0);
    // A page that opens meanwhile does not start the wait again.
    origin.openTab();
    await origin.pass(8 * MINUTE, 500);
    expect(origin.received.size).toBe(10);
  });

  it('go on where they were when they come back from being frozen in the middle of a request', async () => {
    const page = new EventTarget();
    vi.stubGlobal('document', page);
    const tabs = openTabs(2);
    for (let round = 0; round < 20; round += 1) {
      origin.respond = async () => {
        await origin.clock.advance(0);
        if (round % 3 === 0) page.dispatchEvent(new Event('freeze'));
        return answered(round % 5 === 0 ? 503 : 200);
      };
      for (const tab of tabs) tab.track(10);
      await origin.pass(300, 50);
      if (round % 4 === 0) page.dispatchEvent(new Event('freeze'));
    }
    origin.respond = () => answered(200);
    await origin.pass(5 * MINUTE, 500);
    vi.unstubAllGlobals();
    expect(origin.received.size).toBe(400);
    for (const { tracker, imbalance } of tabs) expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
  });

  it.each(['owner', 'sender'] as const)(
    'deliver once what one had in a request, and another one in memory, when the database was deleted, found by the %s',
    async (finder) => {
      // Its events are due so late that the other tab takes them.
      const owner = origin.openTab({ batch: { maxWaitMs: 30 * MINUTE } });
      const sender = origin.openTab();
      origin.respond = () => failed(false);
      owner.track(30);
      await owner.tracker.durable();
      sender.track(5);
      await origin.pass(1_000);
      expect(sender.tracker.stats()).toMatchObject({ recovered: 30, pending: 35 });
      await deleteDatabase(origin.database);
      // Rejects, because written events were deleted with the database.
      await { owner, sender }[finder].tracker.durable().catch(() => undefined);
      await origin.pass(5_000);
      origin.respond = () => answered(200);
      const flushed = owner.tracker.flush({ timeoutMs: 5 * MINUTE });
      await origin.pass(5 * MINUTE, 500);
      await flushed;
      expect([...origin.received.values()]).toEqual(Array.from({ length: 35 }, () => 1));
      for (const { tracker, imbalance } of [owner, sender])
        expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
    },
  );

  it('delete what a tab left that is gone, once consent is denied', async () => {
    origin.respond = down;
    const [first, second] = openTabs(2);
    await origin.pass(10);
    second?.track(700);
    await origin.pass(1_000);
    second?.kill();
    first?.tracker.setConsent('denied');
    await origin.pass(1_000);
    expect(first?.tracker.stats().dropped.denied).toBe(700);
    expect([first?.tracker.stats().pending, first?.imbalance]).toEqual([0, 0]);
    first?.kill();
    const next = origin.openTab();
    await origin.pass(1_000);
    expect(next.tracker.stats().recovered).toBe(0);
  });

  it('send from memory where storage opens for nobody, as in some private modes', async () => {
    const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    const [first, second] = openTabs(2);
    for (const tab of [first, second]) tab?.track(30);
    await origin.pass(10_000);
    expect(origin.received.size).toBe(60);
    for (const tab of [first, second]) {
      expect(tab?.tracker.stats()).toMatchObject({ journal: 'memory', delivered: 30, pending: 0 });
      expect(tab?.imbalance).toBe(0);
    }
    open.mockRestore();
  });

  it('send from memory where storage never opens, and are back on disk once it does', async () => {
    const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => ({}) as IDBOpenDBRequest);
    const [tab] = openTabs(1);
    tab?.track(30);
    await origin.pass(20_000, 100);
    expect(origin.received.size).toBe(30);
    expect(tab?.tracker.stats()).toMatchObject({ journal: 'memory', pending: 0 });
    open.mockRestore();
    tab?.track(30);
    await origin.pass(3 * MINUTE, 1_000);
    tab?.track(30);
    await origin.pass(10_000);
    expect(origin.received.size).toBe(90);
    expect(tab?.tracker.stats()).toMatchObject({ journal: 'indexeddb', pending: 0 });
    expect(tab?.imbalance).toBe(0);
  });

  it('go on after a moment in which storage could not be read', async () => {
    const [tab] = openTabs(1);
    await origin.pass(1_000);
    const keys = vi.spyOn(IDBObjectStore.prototype, 'getAllKeys').mockImplementation(() => {
      throw new DOMException('the connection is lost', 'UnknownError');
    });
    tab?.track(30);
    await origin.pass(150, 10);
    keys.mockRestore();
    await origin.pass(20_000);
    expect(origin.received.size).toBe(30);
    expect([tab?.tracker.stats().pending, tab?.imbalance]).toEqual([0, 0]);
  });

  it('send all that waits as soon as another one opens, after the service redirected once', async () => {
    const [first] = openTabs(1);
    origin.respond = () => answered(302);
    first?.track(40);
    await origin.pass(5_000, 100);
    const before = origin.times.length;
    expect(origin.received.size).toBe(0);
    origin.respond = () => answered(200);
    await origin.pass(20_000, 500);
    expect(origin.times.length).toBe(before);
    origin.openTab();
    await origin.pass(5_000, 100);
    expect(origin.received.size).toBe(40);
    expect([first?.tracker.stats().pending, first?.imbalance]).toEqual([0, 0]);
  });
});

describe('tabs of one origin without Web Locks, as on a page of plain http', () => {
  /** Tabs whose events wait, each for its turn. */
  function openPlain(count: number): FakeTab[] {
    return Array.from({ length: count }, () => origin.openTab({}, false));
  }

  function received(): number {
    return [...origin.received.values()].reduce((sum, times) => sum + times, 0);
  }

  it('send what an earlier page left once, one tab at a time', async () => {
    origin.respond = down;
    const [earlier] = openPlain(1);
    earlier?.track(500);
    await origin.pass(2_000, 100);
    await earlier?.close();
    await origin.pass(MINUTE);
    origin.mostOpen = 0;
    origin.respond = () => answered(200);
    const tabs = openPlain(3);
    for (const tab of tabs) tab.track(10);
    await origin.pass(MINUTE, 250);
    expect(origin.received.size).toBe(530);
    expect(received()).toBeLessThanOrEqual(600);
    expect(origin.mostOpen).toBe(1);
    for (const { tracker, imbalance } of tabs) expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
  });

  it('have nothing scheduled once nothing waits', async () => {
    for (const tab of openPlain(3)) tab.track(5);
    await origin.pass(30_000, 250);
    expect([received(), origin.clock.timers]).toEqual([15, 0]);
  });

  it('replace a tab that dies while it sends, within 30 s', async () => {
    const [first, second] = openPlain(2);
    await origin.pass(10);
    origin.respond = () => new Promise(() => {});
    first?.track(50);
    await origin.pass(500);
    expect(origin.open).toBe(1);
    first?.kill();
    origin.respond = () => answered(200);
    second?.track(10);
    // Before the lease of what is in its request ends.
    await origin.pass(29_000, 250);
    expect(second?.tracker.stats()).toMatchObject({ delivered: 10, pending: 0 });
  });

  it('wait for a tab for as long as it works', async () => {
    const [first, second] = openPlain(2);
    let answer = () => {};
    origin.respond = () =>
      new Promise((resolve) => {
        answer = () => resolve(answered(200));
      });
    first?.track(1);
    await origin.pass(500, 50);
    second?.track(1);
    await origin.pass(50_000, 250);
    expect(origin.times.length).toBe(1);
    answer();
    origin.respond = () => answered(200);
    await origin.pass(5_000, 250);
    expect([received(), second?.imbalance]).toEqual([2, 0]);
  });

  it('lose nothing when one of them dies', async () => {
    const tabs = openPlain(3);
    for (const tab of tabs) tab.track(20);
    await origin.pass(200);
    tabs[0]?.kill();
    openPlain(1);
    await origin.pass(MINUTE, 250);
    expect([...origin.committed].filter((uuid) => !origin.received.has(uuid))).toEqual([]);
    expect(origin.received.size).toBeGreaterThanOrEqual(40);
  });

  it('send where storage cannot be used at all', async () => {
    const opening = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('no storage', 'UnknownError');
    });
    const [tab] = openPlain(1);
    tab?.track(20);
    await origin.pass(MINUTE, 250);
    opening.mockRestore();
    expect(received()).toBe(20);
  });
});

describe('a tab in which Web Locks are never granted', () => {
  it.each([
    ['does not say who has them', () => new Promise<never>(() => {})],
    ['fails to say who has them', () => Promise.reject(new Error('the scripted failure'))],
    ['says that nobody has them', async () => ({ held: [{ name: 'another' }], pending: [] })],
  ])('goes on without them within 15 s and reports it once, where the browser %s', async (_, query) => {
    const errors: string[] = [];
    const locks = { request: () => new Promise<never>(() => {}), query };
    const tab = origin.openTab({}, locks);
    tab.tracker.on('storageFailed', ({ error }) => errors.push(error.message));
    tab.track(20);
    await origin.pass(15_000, 250);
    expect(origin.received.size).toBe(20);
    tab.track(5);
    await origin.pass(2_000, 100);
    expect(origin.received.size).toBe(25);
    expect(errors).toEqual(['Web Locks fail: the browser did not answer']);
  });

  it('waits for them as long as another tab has them', async () => {
    const [first, second] = openTabs(2);
    origin.respond = () => new Promise(() => {});
    first?.track(1);
    await origin.pass(500, 50);
    const failed = vi.fn();
    second?.tracker.on('storageFailed', failed);
    second?.track(1);
    await origin.pass(50_000, 250);
    expect(origin.times.length).toBe(1);
    expect(failed).not.toHaveBeenCalled();
    origin.respond = () => answered(200);
    first?.kill();
  });
});

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
}
