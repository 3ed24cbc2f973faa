import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import type { createTracker, Tracker, TrackerOptions } from '../../../src/index.ts';
import { databaseName } from '../../../src/keep/account.ts';
import { PARCELS } from '../../../src/page/keep/parcel.ts';
import { guards } from '../../../src/parts/guards.ts';
import { bundleUrl } from '../../bench/bundle-url.ts';
import { answered } from '../../bench/scripted-transport.ts';

const [ada, bob] = ['ada@example.com', 'bob@example.com'];
const core = bundleUrl('index');

/** A page of this origin with its own tracker. */
interface Page {
  readonly frame: HTMLIFrameElement;
  readonly view: Window;
  readonly tracker: Tracker;
}

const pages: Page[] = [];
let baseUrl = '';
/** The customers of the events that the service took, by the name of the event. */
let customers = new Map<string, string[]>();

afterEach(async () => {
  for (const { frame, tracker } of pages.splice(0)) {
    await tracker.close({ timeoutMs: 0 });
    frame.remove();
  }
  baseUrl = '';
  customers = new Map();
});

async function openPage(options: Partial<TrackerOptions> = {}): Promise<Page> {
  baseUrl ||= `https://service.example/${uuid()}`;
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const view = frame.contentWindow as
    | (Window & { core?: Promise<{ createTracker: typeof createTracker }> })
    | null;
  if (view === null) throw new Error('the frame has no window');
  const script = view.document.createElement('script');
  script.textContent = `window.core = import(${JSON.stringify(core)})`;
  view.document.body.append(script);
  const post: NonNullable<TrackerOptions['transport']>['post'] = async ({ body }) => {
    for (const { event, correlationValue } of JSON.parse(new TextDecoder().decode(body)).batch)
      customers.set(event, [...(customers.get(event) ?? []), correlationValue]);
    return answered(200);
  };
  const tracker = (await view.core)?.createTracker({
    ...{ baseUrl, correlationKey: 'email', batch: { maxWaitMs: 10 }, ...options },
    ...{ transport: { post, close: async () => {} }, parts: { guards } },
  });
  if (tracker === undefined) throw new Error('the script did not run');
  const page = { frame, view, tracker };
  pages.push(page);
  return page;
}

/** The name of the database, and of the channel over which its pages talk. */
function noteName(): string {
  return databaseName({ baseUrl, correlationKey: 'email' }, PARCELS);
}

/** The note and its key, as far as they are stored. */
async function readNote(): Promise<unknown[]> {
  const databases = await indexedDB.databases();
  // To open a database that does not exist would make one without the records.
  if (!databases.some(({ name }) => name === noteName())) return [];
  const db = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(noteName());
    request.onsuccess = () => resolve(request.result);
  });
  const objects = db.transaction('records').objectStore('records');
  const read = (id: string) =>
    new Promise<unknown>((resolve) => {
      const request = objects.get(id);
      request.onsuccess = () => resolve(request.result);
    });
  const stored = await Promise.all(['note', 'key'].map(read));
  db.close();
  return stored;
}

/** Two pages, which both know that Ada is their customer. */
async function openPagesOfAda(): Promise<[Page, Page]> {
  const both = await Promise.all([openPage(), openPage()]);
  for (const { tracker } of both) tracker.identify(ada);
  await Promise.all(both.map(({ tracker }) => tracker.durable()));
  return both;
}

/** Resolves once what a page tracks now is held. */
async function expectAnonymous({ tracker }: Page): Promise<void> {
  const isHeld = async () => {
    tracker.track('probe');
    await tracker.durable();
    const { held } = tracker.stats();
    return held > 0;
  };
  await expect.poll(isHeld).toBe(true);
}

/** Resolves once what a page tracks now is this customer's. */
async function expectCustomer({ tracker }: Page, customer: string): Promise<void> {
  const whose = async () => {
    const name = `probe ${uuid()}`;
    tracker.track(name);
    await tracker.flush();
    return customers.get(name)?.[0];
  };
  await expect.poll(whose).toBe(customer);
}

function expectBalance({ tracker }: Page): void {
  const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
  const lost = Object.values(dropped).reduce((total, count) => total + count, 0);
  expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
}

describe('pages of one origin share their customer', () => {
  it('who signs out in one: what another tracks after that is nobody’s until somebody signs in', async () => {
    const [first, second] = await openPagesOfAda();
    first.tracker.reset();
    await first.tracker.durable();
    await expectAnonymous(second);
    second.tracker.track('after');
    first.tracker.identify(bob);
    await expectCustomer(second, bob);
    await expect.poll(() => customers.get('after')).toEqual([bob]);
    for (const page of pages) expectBalance(page);
  });

  it('who is replaced by another in one: what another page tracks after that is the new one’s', async () => {
    const [first, second] = await openPagesOfAda();
    second.tracker.track('before');
    first.tracker.identify(bob);
    await expectCustomer(second, bob);
    expect(customers.get('before')).toEqual([ada]);
    for (const page of pages) expectBalance(page);
  });

  it('who signs in in one: what another has held, and tracks after that, is this customer’s', async () => {
    const [first, second] = await Promise.all([openPage(), openPage()]);
    second.tracker.track('before');
    await second.tracker.durable();
    first.tracker.identify(ada);
    await expectCustomer(second, ada);
    await expect.poll(() => customers.get('before')).toEqual([ada]);
    await expect.poll(() => second.tracker.stats().pending).toBe(0);
    for (const page of pages) expectBalance(page);
  });

  it('with a page that is opened later, and never told who it is', async () => {
    const first = await openPage();
    first.tracker.identify(ada);
    await first.tracker.durable();
    const second = await openPage();
    second.tracker.track('held');
    await expect.poll(() => customers.get('held')).toEqual([ada]);
    await expectCustomer(second, ada);
  });

  it('also where both sign in another at once: nobody gets what is another’s, and all agree in the end', async () => {
    for (let round = 0; round < 5; round += 1) {
      baseUrl = '';
      customers.clear();
      const [first, second] = await Promise.all([openPage(), openPage()]);
      first.tracker.track('first');
      second.tracker.track('second');
      await Promise.all([first.tracker.durable(), second.tracker.durable()]);
      first.tracker.identify(ada);
      second.tracker.identify(bob);
      const whose = async () => {
        const names = [`probe ${uuid()}`, `probe ${uuid()}`];
        for (const [index, { tracker }] of [first, second].entries()) {
          tracker.track(names[index] ?? '');
          await tracker.flush();
        }
        return new Set(names.map((name) => customers.get(name)?.[0] ?? '')).size;
      };
      await expect.poll(whose).toBe(1);
      // Both were tracked in one session. It has one customer.
      const held = [...(customers.get('first') ?? []), ...(customers.get('second') ?? [])];
      expect(new Set(held).size).toBeLessThanOrEqual(1);
      for (const page of [first, second]) expectBalance(page);
    }
  });

  it('and identify() with the same customer again says nothing to others, and begins no session', async () => {
    const [first, second] = await openPagesOfAda();
    const channel = new BroadcastChannel(noteName());
    const said: unknown[] = [];
    channel.onmessage = ({ data }) => {
      if (data[0] === 'session') said.push(data);
    };
    for (let time = 0; time < 20; time += 1) {
      first.tracker.identify(ada);
      first.tracker.track('again');
      await first.tracker.durable();
    }
    await first.tracker.flush();
    expect(customers.get('again')).toEqual(Array.from({ length: 20 }, () => ada));
    // Messages of a channel arrive in order.
    first.tracker.reset();
    await expect.poll(() => said.length).toBeGreaterThan(0);
    expect(said).toHaveLength(1);
    channel.close();
    expectBalance(second);
  });

  it('and a burst right after identify() goes to the customer at once', async () => {
    const { tracker } = await openPage();
    tracker.identify(ada);
    for (let number = 0; number < 1_000; number += 1) tracker.track('burst', { number });
    expect(tracker.stats().held).toBe(0);
    await tracker.flush();
    expect(customers.get('burst')).toEqual(Array.from({ length: 1_000 }, () => ada));
  });
});

describe('a page that is back from the back/forward cache', () => {
  /** Hides a page as a browser does, and shows it again. It cannot hear the others meanwhile. */
  async function freeze({ view }: Page, work: () => Promise<void>): Promise<void> {
    view.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    await work();
    view.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }

  it('gives nothing to the customer who signed out meanwhile, also not what is tracked at once', async () => {
    const [first, second] = await openPagesOfAda();
    second.view.addEventListener('pageshow', () => second.tracker.track('back'));
    await freeze(second, async () => {
      first.tracker.reset();
      await first.tracker.durable();
    });
    for (let number = 0; number < 100; number += 1) second.tracker.track('back', { number });
    await second.tracker.flush();
    expect(customers.get('back')).toBeUndefined();
    expect(second.tracker.stats().held).toBe(101);
    second.tracker.identify(bob);
    await expect.poll(() => customers.get('back')).toEqual(Array.from({ length: 101 }, () => bob));
    expectBalance(second);
  });

  it('gives what it tracks to the customer who signed in meanwhile, if a page is there that knows', async () => {
    const [first, second] = await openPagesOfAda();
    await freeze(second, async () => {
      first.tracker.identify(bob);
      await first.tracker.durable();
    });
    second.tracker.track('back');
    await expect.poll(() => customers.get('back')).toEqual([bob]);
    await expectCustomer(second, bob);
    expectBalance(second);
  });

  it('goes on with its customer if nothing has changed, also if it is left before it can know', async () => {
    const [, second] = await openPagesOfAda();
    await freeze(second, async () => {});
    second.tracker.track('back');
    await freeze(second, async () => {});
    second.tracker.track('back');
    await expect.poll(() => customers.get('back')).toEqual([ada, ada]);
    await expectCustomer(second, ada);
    expectBalance(second);
  });
});

describe('storage', () => {
  it('has nothing from which a customer can be guessed: a digest with 256 bits, by a key that no script can read', async () => {
    const { tracker } = await openPage();
    tracker.identify(ada);
    tracker.track('bought');
    await tracker.flush();
    await tracker.durable();
    // It is stored beside the delivery, which may end first.
    const [note, key] = await vi.waitFor(async () => {
      const stored = await readNote();
      expect(stored).toEqual([expect.anything(), expect.anything()]);
      return stored;
    }, PATIENCE);
    expect(key).toMatchObject({ type: 'secret', extractable: false });
    const [, digest = ''] = String(note).split(' ');
    expect(digest.split(',')).toHaveLength(32);
    expect(JSON.stringify([note, { ...localStorage }])).not.toContain('ada');
  });
});
