import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { IndexedDbStore } from '../../../src/keep/page/indexeddb-store.ts';
import { createTabs, type Tabs } from '../../../src/keep/page/tabs.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';

/** The part of a page that `Tabs` uses: it is hidden or frozen. */
class FakePage extends EventTarget {
  visibilityState = 'visible';

  hide(): void {
    this.visibilityState = 'hidden';
    this.dispatchEvent(new Event('visibilitychange'));
  }

  freeze(): void {
    this.dispatchEvent(new Event('freeze'));
  }
}

describe('the lock under which one tab works', () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const store = new IndexedDbStore('tabs', clock, () => {});
  let locks: FakeLocks;
  let page: FakePage;

  beforeEach(() => {
    page = new FakePage();
    locks = new FakeLocks();
    vi.stubGlobal('document', page);
  });

  afterEach(() => vi.unstubAllGlobals());

  function tabsOfPage(): Tabs {
    return createTabs('tabs', { locks: new FakeLocks(locks) }, clock, store, { onMessage: () => {} });
  }

  it('is let go of by a page that is frozen in the middle of its work', async () => {
    const [one, other] = [tabsOfPage(), tabsOfPage()];
    const held = one.hold(() => new Promise<never>(() => {}), signal);
    await settle();
    // This one has no document that could be hidden.
    vi.stubGlobal('document', undefined);
    const work = other.hold(async () => 'worked', signal);
    page.freeze();
    await expect(held).rejects.toMatchObject({ type: 'freeze' });
    expect(await work).toBe('worked');
  });

  it('is kept by one who must not be disturbed', async () => {
    const held = tabsOfPage().hold(() => new Promise<never>(() => {}));
    await settle();
    page.freeze();
    let isFree: boolean | undefined;
    await locks.request('tabs', { ifAvailable: true }, (lock) => {
      isFree = lock !== null;
    });
    expect(isFree).toBe(false);
    void held;
  });

  it('is asked for by a hidden page a second later, where it is free', async () => {
    page.hide();
    const work = tabsOfPage().hold(async () => 'worked', signal);
    await clock.advance(999);
    await locks.request('tabs', { ifAvailable: true }, (lock) => {
      expect(lock).not.toBeNull();
    });
    await clock.advance(1);
    expect(await work).toBe('worked');
  });

  it('is not waited for by a page that is hidden meanwhile', async () => {
    const held = tabsOfPage().hold(() => new Promise<never>(() => {}), signal);
    await settle();
    const waiting = tabsOfPage().hold(async () => 'worked', signal);
    page.hide();
    await expect(waiting).rejects.toThrow();
    const asking = tabsOfPage().hold(async () => 'worked', signal);
    const asked = expect(asking).rejects.toThrow('another page works');
    await clock.advance(1_000);
    await asked;
    void held;
  });
});
