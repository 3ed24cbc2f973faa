import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered } from '../bench/scripted-transport.ts';

const ada = 'ada@example.com';
let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
  origin.room = 60_000;
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});
const fire = (tab: FakeTab, type: string) => tab.view.dispatchEvent(new Event(type));

/** Gives a ticket to whoever asks. Returns when the page asked. */
function giveTickets(expiresInMs = 3_600_000): number[] {
  const asked: number[] = [];
  origin.service = { relay: 'http://site.test/s' };
  vi.stubGlobal('localStorage', new FakeStorage());
  vi.stubGlobal('fetch', async () => {
    asked.push(origin.clock.now());
    return Response.json({ customer: ada, ticket: 't', expiresInMs, acceptForMs: 7 * 86_400_000 });
  });
  return asked;
}

it('what was tracked before the clock was set back is sent, and no ticket is asked for again and again', async () => {
  const asked = giveTickets();
  const answer = globalThis.fetch;
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')));
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  tab.track(3);
  await origin.pass(1_000, 100);
  // There is a network: it sets the clock right.
  vi.stubGlobal('fetch', answer);
  origin.skewMs = -24 * 3_600_000;
  await origin.pass(60 * 60_000, 5_000);
  expect({ delivered: tab.tracker.stats().delivered, asked: asked.length }).toEqual({
    delivered: 3,
    asked: 1,
  });
});

it('a dead letter that is replayed as the page is left is not dropped', async () => {
  giveTickets();
  let isBad = true;
  origin.respond = (events) => answered(isBad && events.some(({ event }) => event === 'bad') ? 400 : 200);
  const tab = origin.openTab({ logger: false, random: () => 0.5, batch: { maxWaitMs: 1_000 } });
  await origin.pass(50);
  tab.track(1, 'bad');
  for (let n = 0; n < 30 && tab.tracker.stats().deadLettered < 1; n += 1) {
    tab.track(1, 'good');
    await origin.pass(3_000, 100);
  }
  expect(tab.tracker.stats()).toMatchObject({ deadLettered: 1, pending: 0 });
  isBad = false;
  let replayed = 0;
  void tab.tracker.deadLetters.replay().then((count) => (replayed = count));
  await origin.pass(20, 5);
  expect(replayed).toBe(1);
  fire(tab, 'pagehide');
  await origin.pass(50);
  fire(tab, 'pageshow');
  await origin.pass(5_000, 100);
  expect(tab.tracker.stats()).toMatchObject({ dropped: { 'identity-expired': 0 }, pending: 0 });
});

it('what failed while the relay was away is delivered once it is back, in few requests', async () => {
  giveTickets();
  origin.respond = () => answered(503);
  const tab = origin.openTab({ logger: false, random: () => 0.5, batch: { maxWaitMs: 1_000 } });
  await origin.pass(50);
  for (let n = 0; n < 60; n += 1) {
    tab.track(1);
    await origin.pass(10_000, 1_000);
  }
  origin.respond = () => answered(200);
  const { length } = origin.times;
  await origin.pass(5 * 60_000, 500);
  expect(tab.tracker.stats()).toMatchObject({
    delivered: 60,
    pending: 0,
    dropped: { 'identity-expired': 0 },
  });
  expect(origin.times.length - length).toBeLessThan(8);
});

it('a relay that is away is asked for tickets less and less often, and gives them once it is back', async () => {
  giveTickets();
  const answer = globalThis.fetch;
  let asked = 0;
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    return new Response('<h1>502 Bad Gateway</h1>', { status: 502 });
  });
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  tab.track(1);
  await origin.pass(60 * 60_000, 1_000);
  expect(asked).toBeLessThan(60);
  vi.stubGlobal('fetch', answer);
  await origin.pass(2 * 60_000, 1_000);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 1, pending: 0 });
});

it.each<[string, readonly unknown[], number]>([
  ['an event twice', [[0], [0]], 1],
  ['an event as often as there are events', [[1], [1], [1]], 1],
  ['only events that the request does not have', [[3], [-1], [0.5]], 0],
  ['what is no index', [['length', 'a']], 0],
])(
  'where a relay names %s as refused, each event ends once, with one request',
  async (_, refused, deadLettered) => {
    giveTickets();
    origin.respond = () => answered(200, { body: JSON.stringify({ refused }) });
    const tab = origin.openTab({ logger: false });
    await origin.pass(50);
    tab.track(3);
    await origin.pass(5_000, 100);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 3 - deadLettered, deadLettered, pending: 0 });
    expect(await tab.tracker.deadLetters.count()).toBe(deadLettered);
    expect(origin.times).toHaveLength(1);
  },
);

it('an answer from another address that names no refused events is no answer of the relay', async () => {
  giveTickets();
  origin.respond = () => ({
    kind: 'answered',
    status: 200,
    retryAfter: undefined,
    body: '{}',
    from: 'http://site.test/',
  });
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  tab.track(3);
  await origin.pass(5_000, 100);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 0, pending: 3 });
});
