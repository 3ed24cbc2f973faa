import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { drain } from '../../src/page/service-worker.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { FakeLocks } from '../bench/fake-locks.ts';
import { FakeChannel, FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

let origin: FakeOrigin;
/** The number of events in each request of a page. */
let requests: number[];
let answer: () => Outcome | Promise<Outcome>;

beforeEach(() => {
  origin = new FakeOrigin();
  origin.room = 60_000;
  requests = [];
  answer = () => answered(200);
  origin.respond = ({ length }) => {
    requests.push(length);
    return answer();
  };
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('location', { origin: 'https://shop.example' });
  vi.stubGlobal('localStorage', new FakeStorage());
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});

async function open(): Promise<FakeTab> {
  const tab = origin.openTab({ batch: { maxWaitMs: 1_000 }, logger: false, random: () => 0.99 });
  await origin.pass(50);
  return tab;
}

function leave(tab: FakeTab): void {
  tab.view.dispatchEvent(new Event('pagehide'));
  tab.kill();
}

const mostCopies = () => Math.max(...origin.received.values());

it('the page that has the turn does not send what a page hands over as it is left', async () => {
  const [busy, left] = [await open(), await open()];
  let end = () => {};
  answer = () =>
    new Promise((resolve) => {
      end = () => resolve(answered(200));
    });
  busy.track(1);
  await origin.pass(1_500, 100);
  left.track(30);
  await origin.pass(4_000, 100);
  expect(busy.tracker.stats().recovered).toBe(30);
  answer = () => answered(200);
  leave(left);
  await origin.pass(20, 5);
  end();
  await origin.pass(2_000, 50);
  expect(requests).toEqual([1, 30]);
});

it('a page hands over what another one had in a request that failed', async () => {
  const [other, left] = [await open(), await open()];
  answer = () => failed(false);
  other.track(1);
  await origin.pass(400);
  left.track(30);
  await origin.pass(700, 100);
  expect(requests).toEqual([31]);
  other.kill();
  answer = () => answered(200);
  await origin.pass(100, 50);
  leave(left);
  expect(requests).toEqual([31, 30]);
});

it('a page sends what another one cut, and could not store as it died', async () => {
  const watcher = await open();
  await origin.pass(6_000, 100);
  let refusals = 0;
  origin.respond = ({ length }) => {
    refusals += Number(length > 3);
    return length > 3 ? answered(413) : failed(false);
  };
  const cutting = await open();
  cutting.track(10);
  await origin.pass(500, 50);
  const { put } = IDBObjectStore.prototype;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    if (Array.isArray(value)) throw new DOMException('full', 'QuotaExceededError');
    return put.call(this, value, key);
  });
  while (refusals === 0) await origin.pass(50, 10);
  await origin.pass(30, 1);
  cutting.kill();
  vi.restoreAllMocks();
  origin.respond = () => answered(200);
  watcher.track(1);
  await origin.pass(120_000, 1_000);
  expect(origin.received.size).toBe(11);
});

it('to a relay, what may have arrived is sent again also with leaving: once', async () => {
  origin.service = { relay: 'https://shop.example/s' };
  vi.stubGlobal('fetch', async () =>
    Response.json({ customer: 'ada@example.com', ticket: 't', expiresInMs: 3_600_000 }),
  );
  vi.stubGlobal('location', new URL('https://shop.example/'));
  const openOne = () => origin.openTab({ logger: false }, true, 'once');
  const first = openOne();
  first.track(1);
  await origin.pass(2_000, 100);
  answer = () => new Promise(() => {});
  first.track(5);
  await origin.pass(1_000, 100);
  expect(requests).toEqual([1, 5]);
  first.kill();
  answer = () => answered(200);
  openOne();
  await origin.pass(60_000, 500);
  expect(requests).toEqual([1, 5, 5]);
});

/** Starts a service worker that drains. Its requests are answered one by one. */
function startWorker(): {
  readonly sent: string[];
  readonly answer: () => void;
  readonly end: Promise<unknown>;
} {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: Uint8Array }) => {
    const { batch } = JSON.parse(new TextDecoder().decode(body));
    sent.push(...batch.map(({ uuid }: { uuid: string }) => uuid));
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return new Response('{}');
  });
  vi.stubGlobal('navigator', { onLine: true, locks: new FakeLocks(origin.locks) });
  vi.stubGlobal(
    'BroadcastChannel',
    class extends FakeChannel {
      constructor(name: string) {
        super(origin, name);
      }
    },
  );
  const { baseUrl } = origin.service as { readonly baseUrl: string };
  const end = drain({ baseUrl, correlationKey: 'email', account: origin.name }).catch(String);
  return { sent, answer: () => waiting.shift()?.(), end };
}

it('a page that is left does not send what a service worker has in a request', async () => {
  const tab = await open();
  tab.track(3);
  await origin.pass(300);
  const worker = startWorker();
  while (worker.sent.length < 3) await origin.pass(1);
  leave(tab);
  await origin.pass(50, 1);
  worker.answer();
  await worker.end;
  expect(requests).toEqual([]);
});

it('a service worker does not send what a page hands over meanwhile', async () => {
  const tab = origin.openTab({ batch: { maxWaitMs: 60_000, maxBytes: 10_000_000 }, logger: false });
  await origin.pass(50);
  for (let number = 0; number < 5; number += 1) {
    tab.tracker.track('event', { text: 'x'.repeat(45_000) });
    await tab.tracker.durable();
    await origin.pass(10);
  }
  const worker = startWorker();
  while (worker.sent.length === 0) await origin.pass(1);
  expect(worker.sent.length).toBeLessThan(5);
  leave(tab);
  expect(requests).toEqual([1]);
  for (let turn = 0; turn < 100; turn += 1) {
    worker.answer();
    await origin.pass(1);
  }
  await worker.end;
  for (const uuid of worker.sent) expect(origin.received.has(uuid)).toBe(false);
  expect(mostCopies()).toBe(1);
});
