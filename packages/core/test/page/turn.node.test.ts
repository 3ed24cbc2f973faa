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
  const tabsOfPage = (own = new FakeLocks(locks)) =>
    createTabs({
      ...{ name: 'tabs', locks: own, clock, stored },
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

  it('is not asked for by a hidden page that is frozen within that second', async () => {
    hide();
    const own = new FakeLocks(locks);
    const request = vi.spyOn(own, 'request');
    const frozen = new AbortController();
    const asked = expect(tabsOfPage(own).alone(never, frozen.signal)).rejects.toThrow('another page works');
    await clock.advance(500);
    frozen.abort();
    await asked;
    expect(request).not.toHaveBeenCalled();
  });

  it('is asked for anew, and at once, by a hidden page that is seen within that second', async () => {
    hide();
    const work = vi.fn(async () => {});
    const isOver = vi.fn();
    void tabsOfPage().alone(work, signal).catch(isOver);
    await clock.advance(500);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await settle();
    expect(isOver).toHaveBeenCalledOnce();
    await tabsOfPage().alone(work, signal);
    expect(work).toHaveBeenCalledOnce();
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
