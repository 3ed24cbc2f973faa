import { afterEach, describe, expect, inject, it } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import type { createTracker, Tracker } from '../../../src/index.ts';
import { bundleUrl } from '../../bench/bundle-url.ts';

const { apiUrl, apiKey, ...emulator } = inject('emulator');
/** Another host name, so that these pages share no journal with those of other tests. */
const baseUrl = emulator.baseUrl.replace('127.0.0.1', 'localhost');
const source = bundleUrl('index');

/** A page of this origin with its own tracker. It is gone when its frame is. */
interface Page {
  readonly frame: HTMLIFrameElement;
  readonly tracker: Tracker;
}

/** Only a hang takes longer. */
const PATIENTLY = { timeoutMs: PATIENCE.timeout };

const pages: Page[] = [];

afterEach(async () => {
  for (const { frame, tracker } of pages.splice(0)) {
    if (frame.isConnected) await tracker.close({ timeoutMs: 0 });
    frame.remove();
  }
});

async function open(): Promise<Page> {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const view = frame.contentWindow as Window & { create?: typeof createTracker };
  const script = frame.contentDocument?.createElement('script') ?? document.createElement('script');
  script.type = 'module';
  script.textContent = `import { createTracker } from '${source}'; window.create = createTracker; window.onCreate();`;
  await new Promise<void>((resolve) => {
    Object.assign(view, { onCreate: resolve });
    frame.contentDocument?.body.append(script);
  });
  const tracker = view.create?.({ baseUrl, apiKey, correlationKey: 'email', batch: { maxWaitMs: 50 } });
  if (tracker === undefined) throw new Error('the frame has no tracker');
  tracker.identify('ada@example.com');
  const page = { frame, tracker };
  pages.push(page);
  return page;
}

function track({ tracker }: Page, name: string, count: number): void {
  for (let number = 0; number < count; number += 1) tracker.track(name, { number });
}

async function count(name: string): Promise<{ unique: number; received: number }> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

async function locks(): Promise<number> {
  const { held = [], pending = [] } = await navigator.locks.query();
  return [...held, ...pending].filter(({ name }) => name?.startsWith('sluice')).length;
}

describe('pages of one origin', () => {
  it('deliver what each of them tracks, each event once, and hold no lock afterwards', async () => {
    const name = `pages-${uuid()}`;
    const all = await Promise.all(Array.from({ length: 5 }, () => open()));
    for (let round = 0; round < 10; round += 1) {
      for (const page of all) track(page, name, 40);
      await new Promise(requestAnimationFrame);
    }
    await Promise.all(all.map(({ tracker }) => tracker.flush(PATIENTLY)));
    expect(await count(name)).toEqual({ unique: 2_000, received: 2_000 });
    const books = () =>
      all.map(({ tracker }) => {
        const { accepted, recovered, delivered, pending } = tracker.stats();
        return [accepted, pending, accepted + recovered - delivered];
      });
    // If a page found events of others that these have delivered, it is told so; by WebKit late.
    await expect.poll(books).toEqual(all.map(() => [400, 0, 0]));
    await expect.poll(locks).toBe(0);
  });

  it('deliver what one left that is gone, though it is all that there is', async () => {
    const name = `gone-${uuid()}`;
    const [gone, other] = await Promise.all([open(), open()]);
    // They fit one request. Otherwise the rest waits until the lease of the first ones ends.
    track(gone, name, 200);
    await gone.tracker.durable();
    gone.frame.remove();
    // WebKit reports the free lock, and messages, late.
    await expect.poll(() => count(name)).toMatchObject({ unique: 200 });
    expect(other.tracker.stats().accepted).toBe(0);
  });

  it('lose nothing that was durable where pages are ended at any moment', async () => {
    const name = `ended-${uuid()}`;
    const all = await Promise.all(Array.from({ length: 5 }, () => open()));
    let durable = 0;
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(
        all.map(async (page) => {
          track(page, name, 40);
          if (round % 3 !== 0) return;
          await page.tracker.durable();
          durable += 40;
        }),
      );
      const index = round % 5;
      all[index]?.frame.remove();
      all[index] = await open();
    }
    // Some were in a request of a page that was ended. It may arrive late, or not, and then they wait for the end of a lease.
    await expect.poll(async () => (await count(name)).unique).toBeGreaterThanOrEqual(durable);
  });
});
