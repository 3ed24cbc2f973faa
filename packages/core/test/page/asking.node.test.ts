import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { relayDrain } from '../../src/page/relay-drain.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';

const URL_OF_RELAY = 'http://site.test/s';
const TICKET = {
  customer: 'ada@example.com',
  ticket: 't',
  expiresInMs: 3_600_000,
  acceptForMs: 7 * 86_400_000,
};
let origin: FakeOrigin;
let asked: number[];
let answer: () => Response | Promise<Response>;
beforeEach(() => {
  origin = new FakeOrigin();
  origin.service = { relay: URL_OF_RELAY };
  asked = [];
  vi.stubGlobal('localStorage', new FakeStorage());
  vi.stubGlobal('fetch', async () => {
    asked.push(origin.clock.now());
    return answer();
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});

async function openTab(): Promise<FakeTab> {
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  return tab;
}

it.each<[string, () => Response, RegExp]>([
  [
    'no such path',
    () => new Response('nothing here', { status: 404 }),
    /^POST http:\/\/site\.test\/s failed: 404;/,
  ],
  ['another origin', () => Response.json({ error: 'wrong_origin' }, { status: 403 }), /failed: 403;/],
  ['a captive portal', () => new Response('<html>'), /^POST http:\/\/site\.test\/s failed: /],
  [
    'no network',
    () => {
      throw new TypeError('Failed to fetch');
    },
    /failed: Failed to fetch/,
  ],
])('a page says why it gets no ticket from its relay: %s', async (_, given, message) => {
  answer = given;
  const failures: unknown[] = [];
  const tab = await openTab();
  tab.tracker.on('requestFailed', ({ error }) => failures.push(error));
  tab.track(1);
  await origin.pass(1_000, 100);
  expect(failures).toEqual([
    expect.objectContaining({ name: 'DeliveryError', message: expect.stringMatching(message) }),
  ]);
  expect(tab.tracker.stats().lastError?.message).toMatch(message);
});

it('a page says nothing where nobody is signed in', async () => {
  answer = () => Response.json({ error: 'no_customer', acceptForMs: 1_000_000 }, { status: 401 });
  const tab = await openTab();
  tab.track(1);
  await origin.pass(60_000, 100);
  expect(tab.tracker.stats()).toMatchObject({ lastError: undefined, pending: 1 });
});

it('flush() waits for a ticket that the page has asked for', async () => {
  let give = (_: Response) => {};
  answer = () => new Promise<Response>((resolve) => (give = resolve));
  const tab = await openTab();
  tab.track(1);
  let report: object | undefined;
  void tab.tracker.flush({ timeoutMs: 10_000 }).then((told) => (report = told));
  await origin.pass(1_000, 100);
  expect([asked.length, report]).toEqual([1, undefined]);
  give(Response.json(TICKET));
  await origin.pass(1_000, 100);
  expect(report).toMatchObject({ delivered: 1, pending: 0 });
});

it('a page asks for a ticket at once when retryNow() is called: somebody may have signed in meanwhile', async () => {
  answer = () => Response.json({ error: 'no_customer', acceptForMs: 86_400_000 }, { status: 401 });
  const tab = await openTab();
  tab.track(1);
  await origin.pass(60 * 60_000, 5_000);
  answer = () => Response.json(TICKET);
  const before = asked.length;
  tab.tracker.retryNow();
  await origin.pass(1_000, 100);
  expect(asked.length - before).toBe(1);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 1, pending: 0 });
});

it('a service worker fails, so that the browser tries again, where the relay gives no ticket now', async () => {
  vi.stubGlobal('location', new URL('http://site.test/'));
  const body = new TextEncoder().encode('{"batch":[{"correlationValue":"ada@example.com"}]}');
  const drained = () => relayDrain('/s').body({ body } as never);
  answer = () => Response.json({ error: 'busy' }, { status: 503 });
  await expect(drained()).rejects.toThrow('the relay answered 503');
  answer = () => Response.json({ error: 'no_customer' }, { status: 401 });
  expect(await drained()).toBeUndefined();
});
