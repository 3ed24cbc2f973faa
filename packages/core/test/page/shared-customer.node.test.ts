import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { TestOptions } from '../../src/entries/testing/testing.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered } from '../bench/scripted-transport.ts';
import { full, valueAt } from './records.ts';

const [ada, bob, cy] = ['ada@example.com', 'bob@example.com', 'cy@example.com'];

let origin: FakeOrigin;
/** The customers of the events that the service accepted, by their number. */
let customers: Map<number, string>;
/** The pages that are in the back/forward cache. */
let away: Set<FakeTab>;

function start(): void {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin = new FakeOrigin();
  origin.customer = undefined;
  customers = new Map();
  away = new Set();
  origin.respond = (_, { body }) => {
    for (const { payload, correlationValue } of JSON.parse(new TextDecoder().decode(body)).batch) {
      expect(customers.has(payload.number)).toBe(false);
      customers.set(payload.number, correlationValue);
    }
    return answered(200);
  };
}

beforeEach(start);

afterEach(async () => {
  vi.unstubAllGlobals();
  await origin.close();
});

function open(options: Partial<TestOptions> = {}): FakeTab {
  return origin.openTab({ batch: { maxWaitMs: 0 }, commitIntervalMs: 1, ...options });
}

function track({ tracker }: FakeTab, number: number): void {
  tracker.track('viewed', { number });
}

const here = () => origin.tabs.filter((tab) => tab.isAlive && !away.has(tab));

/** Resolves once every page has done what there is to do, and has heard of what the others did. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const { tracker } of here()) {
      let isOver = false;
      void tracker
        .durable()
        .catch(() => undefined)
        .then(() => (isOver = true));
      while (!isOver) await origin.pass(1, 1);
    }
    await origin.pass(20, 5);
  }
}

function goAway(tab: FakeTab): void {
  away.add(tab);
  tab.view.dispatchEvent(new Event('pagehide'));
}

/** The page is gone, some milliseconds after it was left. */
async function leave(tab: FakeTab): Promise<void> {
  goAway(tab);
  away.delete(tab);
  await origin.pass(3, 1);
  tab.kill();
}

function comeBack(tab: FakeTab): void {
  away.delete(tab);
  tab.view.dispatchEvent(new Event('pageshow'));
}

/** A page that has tracked something, and could not read yet that ada signed in after a sign-out. */
async function visitOfAda(): Promise<FakeTab> {
  const before = open();
  before.tracker.reset();
  before.tracker.identify(ada);
  await settle();
  await before.close();
  const visit = open();
  track(visit, 1);
  return visit;
}

const dropped = ({ tracker }: FakeTab) => tracker.stats().dropped.unidentified;
const note = () => valueAt(origin.database, 'note');

/** What happened from one moment to the next at which all pages were at rest. */
interface Window {
  /** Who may be the customer at its start. Undefined: nobody. */
  readonly before: ReadonlySet<string | undefined>;
  readonly tracked: number[];
  readonly identified: Set<string>;
  isReset: boolean;
}

function windowAfter({ before, identified, isReset }: Window): Window {
  const ends = isReset || identified.size > 0;
  const after = new Set([...(ends ? [] : before), ...identified, ...(isReset ? [undefined] : [])]);
  return { before: after, tracked: [], identified: new Set(), isReset: false };
}

/** The customers of the sessions in which an event may have been tracked. */
function allowedIn(windows: readonly Window[], at: number): Set<string | undefined> {
  const [window, ...later] = windows.slice(at);
  const allowed = new Set([...(window?.before ?? []), ...(window?.identified ?? [])]);
  // Who is identified next, if nobody was.
  const next = later.find(({ identified, isReset }) => isReset || identified.size > 0);
  if (later[0]?.before.has(undefined)) for (const customer of next?.identified ?? []) allowed.add(customer);
  return allowed;
}

const steps = fc.array(
  fc.record({
    tab: fc.nat(2),
    do: fc.constantFrom(
      ...(['track', 'track', 'track', 'identify', 'identify', 'reset', 'turn', 'turn', 'settle'] as const),
      ...(['go', 'come', 'come', 'close', 'open', 'leave', 'leave', 'pass'] as const),
    ),
    who: fc.constantFrom(ada, bob),
  }),
  { minLength: 5, maxLength: 40 },
);

describe('pages that share their customer', () => {
  it('never give an event to a customer who was not identified in its session, whatever they do at the same time', async () => {
    let count = 0;
    const numRuns = cases(200, 25);
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        start();
        for (let tab = 0; tab < 3; tab += 1) open();
        let window = windowAfter({ before: new Set(), tracked: [], identified: new Set(), isReset: true });
        const windows = [window];
        let number = 0;
        for (const step of all) {
          const tabs = origin.tabs.filter(({ isAlive }) => isAlive);
          const tab = tabs[step.tab % tabs.length] ?? open();
          if (away.has(tab) !== (step.do === 'come')) continue;
          if (step.do === 'track' || step.do === 'come') {
            // Also at once where it is back: it cannot know yet what has happened.
            if (step.do === 'come') comeBack(tab);
            number += 1;
            track(tab, number);
            window.tracked.push(number);
          } else if (step.do === 'identify') {
            tab.tracker.identify(step.who);
            window.identified.add(step.who);
          } else if (step.do === 'reset') {
            tab.tracker.reset();
            window.isReset = true;
          } else if (step.do === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else if (step.do === 'open' && tabs.length < 4) open();
          else if (step.do === 'go') goAway(tab);
          else if (step.do === 'close') await tab.close();
          else if (step.do === 'leave') await leave(tab);
          else if (step.do === 'pass') await origin.pass(4_000, 100);
          else if (step.do === 'settle') {
            await settle();
            window = windowAfter(window);
            windows.push(window);
          }
        }
        await settle();
        for (const [at, { tracked }] of windows.entries())
          for (const one of tracked)
            if (customers.has(one)) expect([...allowedIn(windows, at)]).toContain(customers.get(one));
        for (const tab of away) comeBack(tab);
        open().tracker.identify(cy);
        await settle();
        await origin.pass(10_000, 500);
        // What is the customer's does not wait, and what was another's is gone.
        for (const { tracker, imbalance } of here())
          expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
        count += customers.size;
        await origin.close();
      }),
      { numRuns },
    );
    // How many there are is random: 1.5 in a run on average.
    expect(count).toBeGreaterThan(numRuns / 2);
  });

  it('hear who signed in, though the page of that was left at once', async () => {
    const [first, second] = [open(), open()];
    first.tracker.identify(ada);
    await settle();
    first.tracker.identify(bob);
    await leave(first);
    await settle();
    track(second, 1);
    await settle();
    expect(customers.get(1)).toBe(bob);
  });

  it('keep what was tracked before reset() in another from the next customer, also if it was never stored', async () => {
    const [first, second] = [open(), open()];
    // It does not know its session yet.
    track(second, 1);
    first.tracker.reset();
    first.tracker.identify(bob);
    await settle();
    expect([dropped(second), customers.size]).toEqual([1, 0]);
  });

  it('drop what an earlier one left in the session of somebody else, and count it', async () => {
    const first = open();
    first.tracker.identify(ada);
    await settle();
    await first.close();
    const second = open();
    track(second, 1);
    await settle();
    await second.close();
    const third = open();
    third.tracker.identify(bob);
    await settle();
    expect(third.tracker.stats()).toMatchObject({ recovered: 1, held: 0, dropped: { unidentified: 1 } });
    expect(customers.size).toBe(0);
  });

  it('gives its customer to what was held before, also after consent was denied in between', async () => {
    const tab = open({ consent: 'pending' });
    track(tab, 1);
    tab.tracker.identify(ada);
    track(tab, 2);
    await origin.pass(5, 1);
    tab.tracker.setConsent('denied');
    await origin.pass(5, 1);
    tab.tracker.setConsent('granted');
    track(tab, 3);
    await settle();
    expect(tab.tracker.stats()).toMatchObject({ held: 0, pending: 0 });
    expect(customers.get(3)).toBe(ada);
  });

  it('do not undo a reset() in another once consent is granted', async () => {
    const [first, second] = [open(), open({ consent: 'pending' })];
    for (const { tracker } of [first, second]) tracker.identify(ada);
    await settle();
    track(second, 1);
    first.tracker.reset();
    await settle();
    track(second, 2);
    second.tracker.setConsent('granted');
    await settle();
    track(second, 3);
    track(first, 4);
    await settle();
    // The first one was tracked as hers.
    expect([...customers]).toEqual([[1, ada]]);
    expect(second.tracker.stats()).toMatchObject({ held: 2, dropped: { unidentified: 0 } });
  });

  it('hear of each other once consent is granted, also one that was in the back/forward cache before', async () => {
    const first = open({ consent: 'pending' });
    await settle();
    goAway(first);
    await origin.pass(10);
    comeBack(first);
    await settle();
    first.tracker.setConsent('granted');
    first.tracker.identify(ada);
    await settle();
    const second = open();
    await settle();
    second.tracker.reset();
    second.tracker.identify(bob);
    await settle();
    track(first, 1);
    await settle();
    expect(customers.get(1)).toBe(bob);
  });

  it('end with the customer whom all of them identify after reset(), at the same time', async () => {
    const tabs = [open(), open(), open()];
    tabs[0]?.tracker.identify(ada);
    await settle();
    for (const { tracker } of tabs) {
      tracker.reset();
      tracker.identify(bob);
    }
    await settle();
    for (const [number, tab] of tabs.entries()) track(tab, number);
    await settle();
    expect([...customers.values()]).toEqual([bob, bob, bob]);
  });

  it('store what one tracks that is left before it can know its customer, for the next page', async () => {
    const first = open();
    first.tracker.identify(ada);
    await settle();
    goAway(first);
    comeBack(first);
    track(first, 1);
    goAway(first);
    await origin.pass(1);
    first.kill();
    const second = open();
    second.tracker.identify(ada);
    await settle();
    await origin.pass(10_000, 500);
    expect([...customers]).toEqual([[1, ada]]);
  });

  it.each([0, 50, 2_000])(
    'give what a popup tracked as it was closed to the customer whom its opener identifies %i ms later',
    async (ms) => {
      const opener = open();
      const popup = open();
      await settle();
      await origin.pass(6_000, 100);
      track(popup, 1);
      await leave(popup);
      await origin.pass(ms, 10);
      opener.tracker.identify(ada);
      await origin.pass(60_000, 1_000);
      expect([...customers]).toEqual([[1, ada]]);
      expect(opener.tracker.stats()).toMatchObject({ held: 0, pending: 0 });
    },
  );

  it('sign out in all of them, though there is no room to store that', async () => {
    const [first, second] = [open(), open()];
    for (const { tracker } of [first, second]) tracker.identify(ada);
    await settle();
    const failing = full((key) => key === 'note');
    first.tracker.reset();
    await settle();
    for (const [number, tab] of [first, second].entries()) track(tab, number);
    await settle();
    failing.mockRestore();
    expect([first, second].map(({ tracker }) => tracker.stats().held)).toEqual([1, 1]);
    first.tracker.identify(bob);
    await settle();
    track(second, 3);
    await settle();
    expect(Object.fromEntries(customers)).toMatchObject({ 0: bob, 3: bob });
    expect([...customers.values()]).not.toContain(ada);
  });

  it("do not delete what was held and is a customer's by now, where one of them did not hear of that", async () => {
    const [first, second] = [open(), open()];
    await settle();
    track(second, 1);
    await settle();
    const { respond } = origin;
    origin.respond = () => answered(503);
    goAway(first);
    comeBack(first);
    await settle();
    expect(first.tracker.stats().held).toBe(1);
    origin.losesMessage = () => true;
    second.tracker.identify(ada);
    await settle();
    second.kill();
    first.tracker.reset();
    await settle();
    origin.respond = respond;
    await origin.pass(120_000, 1_000);
    expect([...customers]).toEqual([[1, ada]]);
  });

  it('keep for its customer what one tracked that was left before it could read who that is', async () => {
    const visit = await visitOfAda();
    await leave(visit);
    const next = open();
    next.tracker.identify(ada);
    await settle();
    await origin.pass(10_000, 500);
    expect([...customers]).toEqual([[1, ada]]);
  });

  it('keep what one tracks that is hidden while it reads who the customer is', async () => {
    const [one, two] = [open(), open()];
    one.tracker.identify(ada);
    await settle();
    goAway(one);
    two.tracker.reset();
    two.tracker.identify(bob);
    await settle();
    away.delete(one);
    one.view.dispatchEvent(new Event('pageshow'));
    track(one, 1);
    vi.stubGlobal('document', { visibilityState: 'hidden' });
    one.view.dispatchEvent(new Event('visibilitychange'));
    await settle();
    await origin.pass(5_000);
    expect([...customers]).toEqual([[1, bob]]);
  });

  it('keep that also for one that is back from the back/forward cache', async () => {
    const visit = await visitOfAda();
    goAway(visit);
    await origin.pass(5, 1);
    comeBack(visit);
    await settle();
    visit.tracker.identify(ada);
    await settle();
    await origin.pass(10_000, 500);
    expect([...customers]).toEqual([[1, ada]]);
  });

  it('store nothing of the customer where pages are not encrypted, and no later page takes the session for its own', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    const [first, second] = [open(), open()];
    track(second, 1);
    await settle();
    for (const { tracker } of [first, first, second]) {
      tracker.identify(ada);
      await settle();
    }
    expect([...customers]).toEqual([[1, ada]]);
    const stored = await note();
    expect(stored).toMatch(/^\S+ [0-9a-f-]{36}$/);
    for (const tab of [first, second]) await tab.close();
    const third = open();
    track(third, 2);
    await settle();
    third.tracker.identify(ada);
    track(third, 3);
    await settle();
    expect(dropped(third)).toBe(1);
    expect([...customers]).toEqual([
      [1, ada],
      [3, ada],
    ]);
    expect(await note()).not.toBe(stored);
  });

  it('write another digest of one customer in each origin, each with 256 bits', async () => {
    const digests = new Set<string | undefined>();
    for (let time = 0; time < 2; time += 1) {
      start();
      const tab = open();
      tab.tracker.identify(ada);
      await settle();
      await tab.close();
      digests.add(String(await note()).split(' ')[1]);
    }
    expect(digests.size).toBe(2);
    for (const digest of digests) expect(digest).toMatch(/^(\d{1,3},){31}\d{1,3}$/);
  });
});
