import 'fake-indexeddb/auto';
import type { Outcome } from '@sluice/core';
import type { Emulator } from '@sluice/emulator';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { FakeOrigin, type FakeTab } from '../../../core/test/bench/fake-origin.ts';
import { FakeStorage } from '../../../core/test/bench/fake-storage.ts';
import { createRelay, type Relay, type RelayOptions } from '../../src/index.ts';
import { ADA, directory, EVE, optionsOf, service } from '../bench/site.ts';

const SITE = 'http://site.test';
/** Real time need not pass between two looks. */
const NO_WAIT = { ...PATIENCE, interval: 0 };

/** The body of a request to the relay. */
interface Sent {
  readonly batch?: readonly { readonly event: string }[];
  readonly ticket?: string;
  readonly parcel?: string;
  readonly status: number;
  readonly credentials?: string | undefined;
}

let origin: FakeOrigin;
let emulator: Emulator;
let relay: Relay;
/** Who is signed in. */
let session: string | undefined;
let isOnline: boolean;
let sent: Sent[];
/** Requests that the relay has not answered. */
let open: number;

beforeEach(() => {
  origin = new FakeOrigin();
  origin.service = { relay: `${SITE}/s` };
  session = ADA;
  isOnline = true;
  sent = [];
  open = 0;
  vi.stubGlobal('localStorage', new FakeStorage());
});

afterEach(async () => {
  await origin.close();
  vi.unstubAllGlobals();
});

/** Starts the service, and the relay of the site. */
async function openSite(options: Partial<RelayOptions> = {}): Promise<void> {
  emulator = await service();
  relay = createRelay({
    ...optionsOf(emulator, { directory: await directory(), clock: origin.clock }),
    ...options,
  });
  const opened = relay;
  onTestFinished(() => opened.close({ timeoutMs: 0 }));
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    if (!isOnline) throw new TypeError('Failed to fetch');
    const headers = { ...init.headers, origin: SITE, ...(session && { cookie: `session=${session}` }) };
    open += 1;
    const answer = await relay(new Request(url, { ...init, headers }));
    open -= 1;
    const body = JSON.parse(
      new TextDecoder().decode(new Uint8Array(await new Response(init.body).arrayBuffer())),
    );
    sent.push({ ...body, status: answer.status, credentials: init.credentials });
    return answer;
  };
  vi.stubGlobal('fetch', ask);
  origin.respond = async (_, { url, headers, body }) => {
    try {
      const answer = await ask(url, { method: 'POST', headers, body: new Uint8Array(body) });
      const header = (name: string) => answer.headers.get(name) ?? undefined;
      const retryAfter = header('retry-after');
      return {
        kind: 'answered',
        status: answer.status,
        retryAfter,
        date: header('date'),
        body: await answer.text(),
      };
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: true };
    }
  };
}

/** Opens a page of a customer. */
function openTab(customer: string): FakeTab {
  const tab = origin.openTab();
  tab.tracker.identify(customer);
  return tab;
}

/** Lets time pass. It stands still while the relay has a request: its disk has a time of its own. */
async function pass(ms: number, stepMs: number = ms / 20): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await origin.pass(stepMs, stepMs);
    while (open > 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets time pass until this holds. */
async function until(check: () => void | Promise<void>, stepMs: number = 20): Promise<void> {
  await vi.waitFor(async () => {
    await pass(stepMs, stepMs);
    await check();
  }, NO_WAIT);
}

async function arrived(): Promise<string[]> {
  const events = await emulator.events();
  return events.map(({ event }) => `${event.correlationValue} ${event.event}`).sort();
}

const events = () => sent.filter(({ batch }) => batch !== undefined);
const asked = () => sent.filter(({ batch }) => batch === undefined);

describe('a page with a relay', () => {
  it('sends without a ticket, and for whom it names, while the relay only observes', async () => {
    await openSite({ enforcement: 'observe' });
    session = undefined;
    openTab(EVE).tracker.track('nobody_signed_in', {});
    await until(async () => expect(await arrived()).toEqual([`${EVE} nobody_signed_in`]));
    session = ADA;
    openTab(EVE).tracker.track('somebody_else', {});
    openTab(ADA).tracker.track('her_own', {});
    await until(async () => expect(await arrived()).toHaveLength(3));
    expect(await arrived()).toEqual([`${ADA} her_own`, `${EVE} nobody_signed_in`, `${EVE} somebody_else`]);
    expect(relay.stats()).toMatchObject({ unproven: 2, taken: 3, refused: {} });
  });

  it('asks for a ticket where the relay enforces tickets from now on', async () => {
    await openSite({ enforcement: 'observe' });
    session = undefined;
    const { tracker } = openTab(ADA);
    tracker.track('observed', {});
    await until(async () => expect(await arrived()).toEqual([`${ADA} observed`]));
    relay = createRelay(optionsOf(emulator, { directory: await directory(), clock: origin.clock }));
    onTestFinished(() => relay.close({ timeoutMs: 0 }));
    session = ADA;
    tracker.track('enforced', {});
    await pass(15_000);
    await until(async () => expect(await arrived()).toEqual([`${ADA} enforced`, `${ADA} observed`]));
    expect(tracker.stats()).toMatchObject({ deadLettered: 0, pending: 0 });
  });

  it('drops events of somebody who is not signed in after as long as the relay would take them', async () => {
    await openSite({ acceptForMs: 60_000 });
    session = EVE;
    const { tracker } = openTab(ADA);
    tracker.track('waits', {});
    await pass(50_000);
    expect(tracker.stats()).toMatchObject({ pending: 1 });
    await pass(60_000);
    expect(tracker.stats()).toMatchObject({ pending: 0, dropped: { 'identity-expired': 1 } });
  });

  it('asks for a ticket once, with cookies, and sends events with it, without cookies', async () => {
    await openSite();
    const tab = openTab(ADA);
    tab.track(2);
    await until(() => expect(tab.tracker.stats().delivered).toBe(2));
    tab.track(1);
    await until(() => expect(tab.tracker.stats().delivered).toBe(3));
    expect(asked()).toEqual([{ status: 200, credentials: 'same-origin' }]);
    const ticket = expect.stringMatching(/^[\w.-]+$/);
    expect(events()).toMatchObject([
      { ticket, status: 202 },
      { ticket, status: 202 },
    ]);
    expect(events()[0]?.parcel).toBeUndefined();
    await vi.waitFor(async () => expect(await arrived()).toEqual(Array(3).fill(`${ADA} event`)), PATIENCE);
  });

  it('asks for no ticket as long as it has nothing to send', async () => {
    await openSite();
    openTab(ADA);
    await pass(60_000, 1_000);
    expect(sent).toEqual([]);
  });

  it('has a ticket from the page before', async () => {
    await openSite();
    const first = openTab(ADA);
    first.track(1);
    await until(() => expect(first.tracker.stats().delivered).toBe(1));
    await first.close();
    session = undefined;
    const next = openTab(ADA);
    next.track(1);
    await until(() => expect(next.tracker.stats().delivered).toBe(1));
    expect(asked()).toHaveLength(1);
  });

  it('keeps the events of two customers in two requests, each with its own ticket', async () => {
    await openSite();
    const ada = openTab(ADA);
    ada.track(1, 'of Ada');
    await until(() => expect(ada.tracker.stats().delivered).toBe(1));
    session = EVE;
    ada.track(2, 'of Ada');
    ada.tracker.identify(EVE);
    ada.track(2, 'of Eve');
    await until(() => expect(ada.tracker.stats().delivered).toBe(5));
    for (const { batch = [] } of events()) expect(new Set(batch.map(({ event }) => event)).size).toBe(1);
    const all = [`${ADA} of Ada`, `${ADA} of Ada`, `${ADA} of Ada`, `${EVE} of Eve`, `${EVE} of Eve`];
    await vi.waitFor(async () => expect(await arrived()).toEqual(all), PATIENCE);
  });

  it('two tabs that name two customers: whichever of them sends, each event has the ticket of its customer', async () => {
    await openSite();
    const ada = openTab(ADA).tracker.for(ADA);
    ada.track('of Ada');
    await until(() => expect(asked()).toHaveLength(1));
    session = EVE;
    const eve = openTab(EVE).tracker.for(EVE);
    for (let round = 0; round < 5; round += 1) {
      ada.track('of Ada');
      eve.track('of Eve');
      await pass(100);
    }
    await until(() => expect(relay.stats().taken).toBe(11));
    await vi.waitFor(async () => {
      const all = await arrived();
      expect([...new Set(all)]).toEqual([`${ADA} of Ada`, `${EVE} of Eve`]);
      expect(all).toHaveLength(11);
    }, PATIENCE);
  });

  it('holds the events of a customer who is not signed in, and sends those of others', async () => {
    await openSite();
    session = EVE;
    const ada = openTab(ADA);
    ada.track(3, 'of Ada');
    await until(() => expect(asked()).toHaveLength(1));
    const eve = openTab(EVE);
    eve.track(2, 'of Eve');
    await until(() => expect(relay.stats().taken).toBe(2));
    await pass(60_000, 500);
    expect(ada.tracker.stats()).toMatchObject({ pending: 3, pause: undefined, breaker: 'closed' });
    session = ADA;
    ada.track(1, 'of Ada');
    await pass(700_000, 1_000);
    await until(() => expect(relay.stats().taken).toBe(6));
  });

  it('asks less and less often for a customer who is not signed in', async () => {
    await openSite();
    session = undefined;
    const tab = openTab(ADA);
    for (let minute = 0; minute < 60; minute += 1) {
      tab.track(1);
      await pass(60_000, 2_000);
    }
    expect(asked().length).toBeGreaterThan(5);
    expect(asked().length).toBeLessThan(15);
    expect(events()).toEqual([]);
  });

  it('asks again soon though the clock was set back by an hour', async () => {
    await openSite();
    session = undefined;
    const tab = openTab(ADA);
    tab.track(1);
    await until(() => expect(asked()).toHaveLength(1));
    const now = origin.clock.now.bind(origin.clock);
    vi.spyOn(origin.clock, 'now').mockImplementation(() => now() - 3_600_000);
    session = ADA;
    tab.track(1);
    await pass(30_000, 1_000);
    await until(() => expect(tab.tracker.stats().delivered).toBe(2));
  });

  it('asks again where a request for a ticket is never answered', async () => {
    await openSite();
    const ask = fetch;
    const requests = vi.fn(() => new Promise<Response>(() => {}));
    vi.stubGlobal('fetch', requests);
    const tab = openTab(ADA);
    tab.track(1);
    await until(() => expect(requests).toHaveBeenCalledTimes(1));
    vi.stubGlobal('fetch', ask);
    await pass(30_000, 1_000);
    await until(() => expect(tab.tracker.stats().delivered).toBe(1));
    expect(asked()).toHaveLength(1);
  });

  it('sends nothing while it is offline, and everything afterwards', async () => {
    await openSite();
    isOnline = false;
    const tab = openTab(ADA);
    tab.track(3);
    await pass(30_000, 500);
    isOnline = true;
    await pass(60_000, 1_000);
    await until(() => expect(tab.tracker.stats().delivered).toBe(3));
  });

  it('gets a new ticket for the same customer if the relay takes the old one no more', async () => {
    await openSite({ ticketMs: 60_000, acceptForMs: 60_000 });
    const tab = openTab(ADA);
    tab.track(1);
    await until(() => expect(tab.tracker.stats().delivered).toBe(1));
    isOnline = false;
    tab.track(1);
    await pass(150_000, 500);
    isOnline = true;
    await pass(60_000, 500);
    await until(() => expect(tab.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 }));
    expect(sent.map(({ status }) => status)).toEqual([200, 202, 401, 200, 202]);
  });

  it('needs a new ticket for what is tracked after the old one ends', async () => {
    await openSite({ ticketMs: 60_000 });
    const tab = openTab(ADA);
    tab.track(1);
    await until(() => expect(tab.tracker.stats().delivered).toBe(1));
    await pass(61_000, 1_000);
    session = EVE;
    tab.track(1);
    await pass(5_000, 100);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 1, pending: 1 });
    expect(events()).toHaveLength(1);
  });

  it('drops events as `identity-expired` once they waited a week and nobody signs in as their customer', async () => {
    await openSite();
    session = EVE;
    const tab = openTab(ADA);
    tab.track(2);
    await pass(5_000);
    await pass(8 * 24 * 3_600_000);
    await until(() => expect(tab.tracker.stats().dropped['identity-expired']).toBe(2));
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, deadLettered: 0 });
  });

  it('so does the next page, and sends them if their customer has come back', async () => {
    await openSite();
    session = EVE;
    const tab = openTab(ADA);
    tab.track(2);
    await pass(5_000);
    await tab.close();
    await pass(8 * 24 * 3_600_000);
    session = ADA;
    const next = openTab(ADA);
    await pass(5_000);
    await until(() => expect(next.tracker.stats()).toMatchObject({ recovered: 2, delivered: 2 }));
    await next.close();
  });

  it('gives the relay a JWT of the site’s back end, and asks again if it has none', async () => {
    const key = 'a key of the back end in a test: long enough';
    await openSite({ jwt: { algorithm: 'HS256', audience: 'relay', keys: { now: key } } });
    let isSignedIn = false;
    const jwt = async () => {
      if (!isSignedIn) throw new Error('nobody is signed in');
      return new SignJWT({})
        .setProtectedHeader({ alg: 'HS256', kid: 'now' })
        .setSubject(EVE)
        .setAudience('relay')
        .setExpirationTime((origin.clock.now() + 60_000) / 1_000)
        .sign(new TextEncoder().encode(key));
    };
    origin.service = { relay: { url: `${SITE}/s`, jwt } };
    const tab = openTab(EVE);
    tab.track(1);
    await pass(2_000, 100);
    expect(sent).toEqual([]);
    isSignedIn = true;
    await pass(6_000, 100);
    await until(() => expect(tab.tracker.stats().delivered).toBe(1));
    await vi.waitFor(async () => expect(await arrived()).toEqual([`${EVE} event`]), PATIENCE);
  });

  it('drops events that wait for a ticket once they are older than `storage.maxAgeMs`', async () => {
    await openSite();
    session = EVE;
    const ada = origin.openTab({ storage: { maxAgeMs: 3_600_000 } });
    ada.track(2);
    await pass(60_000, 1_000);
    ada.tracker.identify(EVE);
    ada.track(1);
    await until(() => expect(ada.tracker.stats().delivered).toBe(1));
    await pass(2 * 3_600_000, 60_000);
    await until(() => expect(ada.tracker.stats()).toMatchObject({ pending: 0, dropped: { expired: 2 } }));
  });

  it('gives up what is in a request, and needs a new ticket, if consent is denied meanwhile', async () => {
    await openSite();
    let answer = (_: Outcome) => {};
    origin.respond = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const tab = openTab(ADA);
    tab.track(1);
    await until(() => expect(tab.tracker.stats().inFlight).toBe(1));
    await until(() => expect(asked()).toHaveLength(1));
    await until(() => expect(tab.tracker.stats().requests.sent).toBe(1));
    tab.tracker.setConsent('denied');
    answer({ kind: 'answered', status: 401, retryAfter: undefined, body: '{"error":"ticket_expired"}' });
    await until(() => expect(tab.tracker.stats()).toMatchObject({ pending: 0, dropped: { denied: 1 } }));
  });

  it('keeps as dead letters what the relay refuses, with its reason', async () => {
    await openSite({ limits: { maxEventBytes: 400 } });
    const tab = openTab(ADA);
    tab.tracker.track('small');
    tab.tracker.track('large', { text: 'x'.repeat(500) });
    tab.tracker.track('small');
    const letters: string[] = [];
    tab.tracker.on('deadLettered', ({ excerpt }) => letters.push(excerpt));
    await until(() => expect(tab.tracker.stats()).toMatchObject({ delivered: 2, deadLettered: 1 }));
    expect(letters).toEqual([expect.stringMatching(/400/)]);
  });

  it.each(['5', '"no"', '[5, null]', '{"0":[0,"why"]}', '[["x"], [7, "why"]]'])(
    'takes an answer as accepted that names no event which was refused, such as %s',
    async (refused) => {
      await openSite();
      const answer = origin.respond;
      let isOdd = true;
      origin.respond = async (...request) => {
        const relayed = await answer(...request);
        if (!isOdd || relayed.kind !== 'answered') return relayed;
        isOdd = false;
        return { ...relayed, body: `{"taken":2,"refused":${refused}}` };
      };
      const tab = openTab(ADA);
      tab.track(3);
      await until(() => expect(tab.tracker.stats()).toMatchObject({ delivered: 3, pending: 0 }));
    },
  );

  it('sends dead letters of two customers again, each with its own ticket', async () => {
    await openSite();
    const answer = origin.respond;
    const tab = openTab(ADA);
    for (const customer of [ADA, EVE]) {
      session = customer;
      tab.tracker.for(customer).track(`of ${customer}`);
      await until(() => expect(tab.tracker.stats().pending).toBe(0));
    }
    origin.respond = () => ({
      ...{ kind: 'answered', status: 202, retryAfter: undefined },
      body: '{"taken":1,"refused":[[1,"why"]]}',
    });
    for (const customer of [ADA, EVE]) {
      for (const name of ['lost', `of ${customer}`]) tab.tracker.for(customer).track(name);
      await until(() => expect(tab.tracker.stats().pending).toBe(0));
    }
    expect(tab.tracker.stats().deadLettered).toBe(2);
    origin.respond = answer;
    const replayed = tab.tracker.deadLetters.replay();
    await until(() => expect(tab.tracker.stats().delivered).toBe(6));
    expect(await replayed).toBe(2);
    const all = [ADA, EVE].flatMap((customer) => Array(2).fill(`${customer} of ${customer}`));
    await vi.waitFor(async () => expect(await arrived()).toEqual(all), PATIENCE);
  });

  it('sends again what was in a request of a page that is gone: the same events, with an id, and they arrive once', async () => {
    await openSite();
    const answer = origin.respond;
    origin.respond = async (...request) => {
      await answer(...request);
      return new Promise(() => {});
    };
    // Two pages in a row send the events, and end before they see the answer.
    for (const count of [1, 2]) {
      const page = openTab(ADA);
      page.track(2 - count);
      page.track(2 - count);
      await until(() => expect(events()).toHaveLength(count), 1_000);
      page.kill();
      await pass(3 * 24 * 3_600_000);
    }
    origin.respond = answer;
    const last = openTab(ADA);
    last.track(1, 'later');
    await until(() => expect(last.tracker.stats()).toMatchObject({ delivered: 3, pending: 0 }), 1_000);
    const [first, second, third] = events().filter(({ batch }) => batch?.length === 2);
    expect(second).toEqual({ ...first, parcel: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(third).toEqual({ ...second, ticket: third?.ticket });
    expect(relay.stats().repeated).toBe(4);
    await vi.waitFor(async () => expect(await arrived()).toHaveLength(3), PATIENCE);
  });
});
