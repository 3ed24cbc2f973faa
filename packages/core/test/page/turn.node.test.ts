import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createTabs } from '../../src/page/keep/tabs.ts';
import { FakeLocks } from '../bench/fake-locks.ts';

describe('the turn of a page', () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  let locks: FakeLocks;
  let page: EventTarget & { visibilityState?: string };

  beforeEach(() => {
    page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    locks = new FakeLocks();
    vi.stubGlobal('document', page);
  });

  afterEach(() => vi.unstubAllGlobals());

  const never = () => new Promise<never>(() => {});
  const stored = { request: never };
  const tabsOfPage = () =>
    createTabs({
      ...{ name: 'tabs', locks: new FakeLocks(locks), clock, stored },
      ...{ hear: () => {}, onFailed: () => {} },
    });

  function hide(): void {
    page.visibilityState = 'hidden';
    page.dispatchEvent(new Event('visibilitychange'));
  }

  it('is asked for by a hidden page a second later, where nobody has it', async () => {
    hide();
    const work = vi.fn(async () => {});
    const asked = tabsOfPage().alone(work, signal);
    await clock.advance(999);
    await locks.request('tabs', { ifAvailable: true }, (lock) => expect(lock).not.toBeNull());
    expect(work).not.toHaveBeenCalled();
    await clock.advance(1);
    await asked;
    expect(work).toHaveBeenCalledOnce();
  });

  it('is not waited for by a page that is hidden meanwhile', async () => {
    void tabsOfPage().alone(never, signal);
    await settle();
    const waiting = tabsOfPage().alone(async () => {}, signal);
    hide();
    await expect(waiting).rejects.toThrow();
    const asked = expect(tabsOfPage().alone(async () => {}, signal)).rejects.toThrow('another page works');
    await clock.advance(1_000);
    await asked;
  });

  it('is not waited for by a page that is left', async () => {
    void tabsOfPage().alone(never, signal);
    await settle();
    const left = new AbortController();
    const waiting = tabsOfPage().alone(async () => {}, left.signal);
    left.abort();
    await expect(waiting).rejects.toThrow();
  });
});
