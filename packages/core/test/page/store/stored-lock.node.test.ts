import 'fake-indexeddb/auto';
import type { Clock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { openStore } from '../../../src/page/store/indexeddb-store.ts';
import { type StoredLock, storedLock } from '../../../src/page/store/stored-lock.ts';
import { watch } from '../../bench/bench.ts';

/** Lets work with the fake storage finish. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a lock in the database', () => {
  let clock: VirtualClock;
  let place: string;

  beforeEach(() => {
    clock = new VirtualClock();
    place = `lock ${Math.random()}`;
  });

  afterEach(() => vi.unstubAllGlobals());

  /** @param timers Those of its page. They stand still while a page is frozen, and once it is gone. */
  function open(timers: VirtualClock = clock, now: () => number = () => clock.now()): StoredLock {
    const time: Clock = { now, setTimeout: (callback, delayMs) => timers.setTimeout(callback, delayMs) };
    return storedLock(
      openStore(place, time, () => {}),
      time,
    );
  }

  /** Work that goes on until it is told to end. */
  function work(lock: StoredLock, options: LockOptions = {}) {
    let end = () => {};
    const until = new Promise<string>((resolve) => {
      end = () => resolve('worked');
    });
    let isRunning = false;
    const done = lock.request('', options, (held) => {
      if (held === null) return Promise.resolve('not free');
      isRunning = true;
      return until;
    });
    return { ...watch(done), done, end, isRunning: () => isRunning };
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      await turns();
      await clock.advance(Math.min(500, ms - passed));
    }
    await turns();
  }

  it('is given to one page at a time, for as long as it works', async () => {
    const [one, other] = [work(open()), work(open())];
    await pass(60_000);
    expect([one.isRunning(), other.isRunning()].sort()).toEqual([false, true]);
    const [first, second] = one.isRunning() ? [one, other] : [other, one];
    first.end();
    expect(await first.done).toBe('worked');
    await pass(1_000);
    expect(second.isRunning()).toBe(true);
    second.end();
    expect(await second.done).toBe('worked');
    expect(clock.timers).toBe(0);
  });

  it('is given to one task at a time within a page', async () => {
    const lock = open();
    const [one, other] = [work(lock), work(lock)];
    await pass(5_000);
    expect([one.isRunning(), other.isRunning()].sort()).toEqual([false, true]);
    one.end();
    other.end();
    await pass(1_000);
    expect(await Promise.all([one.done, other.done])).toEqual(['worked', 'worked']);
  });

  it('is not waited for by one that takes it only if it is free, or that waits no more', async () => {
    const one = work(open());
    await turns();
    expect(await work(open(), { ifAvailable: true }).done).toBe('not free');
    const ended = new AbortController();
    const waiting = expect(work(open(), { signal: ended.signal }).done).rejects.toThrow('aborted');
    await pass(2_000);
    ended.abort();
    await waiting;
    one.end();
    await one.done;
    expect(clock.timers).toBe(0);
  });

  it('is free at most 15 s after its page died', async () => {
    work(open(new VirtualClock()));
    await turns();
    const next = work(open());
    await pass(14_000);
    expect(next.isRunning()).toBe(false);
    await pass(2_000);
    expect(next.isRunning()).toBe(true);
    next.end();
  });

  it('is free at once when its page is left', async () => {
    const page = new EventTarget();
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    work(open(new VirtualClock()));
    await turns();
    page.dispatchEvent(new Event('pagehide'));
    const next = work(open());
    await turns();
    expect(next.isRunning()).toBe(true);
    next.end();
  });

  it('is free at most 15 s after the clock was set back', async () => {
    work(open(new VirtualClock(), () => clock.now() + 3_600_000));
    await turns();
    const next = work(open());
    await pass(0);
    expect(next.isRunning()).toBe(true);
    next.end();
  });

  it('is lost by a page that slept while another took it: its work is told, and the other keeps it', async () => {
    const sleeping = new VirtualClock();
    const one = work(open(sleeping));
    await turns();
    const other = work(open());
    await pass(16_000);
    expect(other.isRunning()).toBe(true);
    const told = expect(one.done).rejects.toThrow('another page works');
    await sleeping.advance(5_000);
    await turns();
    await told;
    expect(await work(open(), { ifAvailable: true }).done).toBe('not free');
    other.end();
  });

  it('is kept by a page that fails to renew it once', async () => {
    const one = work(open());
    await turns();
    const failing = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new DOMException('the scripted failure', 'UnknownError');
    });
    await pass(6_000);
    failing.mockRestore();
    await pass(20_000);
    expect(await work(open(), { ifAvailable: true }).done).toBe('not free');
    one.end();
    expect(await one.done).toBe('worked');
  });

  it('is free where another script wrote something else in its place', async () => {
    const store = openStore(place, clock, () => {});
    await store.use('readwrite', (objects) => void objects.put('odd', 2));
    const next = work(open());
    await turns();
    expect(next.isRunning()).toBe(true);
    next.end();
  });
});
