import { describe, expect, it } from 'vitest';
import { settle } from '../../../src/entries/testing/virtual-clock.ts';
import { LEASE_MS } from '../../../src/keep/journal.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Page } from '../../bench/page.ts';
import { answered, failed, hang } from '../../bench/scripted-transport.ts';

describe('a page that is hidden', () => {
  it('writes all and sends what has room, before its handler is over', async () => {
    const page = new Page();
    page.track(1_000);
    const [request, ...others] = page.hide();
    expect(others).toEqual([]);
    expect(request?.outlives).toBe(true);
    expect(request?.bytes).toBeGreaterThan(59_000);
    expect(request?.bytes).toBeLessThanOrEqual(60_000);
    // The events that are sent are one group, the others are more groups. All were passed to the journal before the request.
    expect(page.appendsBefore).toEqual([1 + Math.ceil((1_000 - (request?.count ?? 0)) / 100)]);
    await settle();
    expect(page.journal.texts).toHaveLength(1_000);
  });

  it('releases what it sees an answer to, and nothing else', async () => {
    const page = new Page();
    page.track(50);
    page.respond(() => hang(page.transport.requests[0] ?? expect.fail()));
    page.hide();
    await page.clock.advance(10_000);
    expect(page.counts).toEqual({ pending: 50, volatile: 0, inFlight: 50, delivered: 0 });
    expect(page.journal.acknowledged).toEqual([]);
  });

  it('counts what it sees an answer to as delivered', async () => {
    const page = new Page();
    page.track(50);
    page.hide();
    await settle();
    expect(page.counts).toEqual({ pending: 0, volatile: 0, inFlight: 0, delivered: 50 });
    expect(page.journal.bytes).toBe(0);
  });

  it('sends again what failed, as any other batch, where it lives on', async () => {
    const page = new Page();
    page.track(50);
    page.respond(() => failed(true));
    page.hide();
    await settle();
    expect(page.books.maybeDuplicate).toBe(50);
    page.respond(() => answered(200));
    await page.clock.advance(1_000);
    expect(page.transport.requests.map(({ outlives }) => outlives)).toEqual([true, undefined]);
    expect(page.transport.requests[1]?.text).toBe(page.transport.requests[0]?.text);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 50 });
  });

  it('also sends what is written and waits for others to be sent with', async () => {
    const page = new Page();
    page.track(30);
    await page.clock.advance(300);
    page.track(20);
    expect(page.hide().map(({ count }) => count)).toEqual([50]);
    await settle();
    expect(page.journal.texts).toHaveLength(50);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 50 });
  });

  it('sends what is being written, and knows where the journal has it', async () => {
    const page = new Page();
    page.journal.copies = true;
    const goOn = page.journal.hangAppends();
    page.track(150);
    await page.clock.advance(300);
    page.track(10);
    // One of the two groups that are being written fits.
    page.transport.left = 42_000;
    expect(page.hide().map(({ count }) => count)).toEqual([100]);
    await settle();
    expect(page.counts).toMatchObject({ delivered: 100 });
    goOn();
    await settle();
    expect(page.journal.texts).toHaveLength(160);
    await page.clock.advance(2_000);
    expect(page.counts).toEqual({ pending: 0, volatile: 0, inFlight: 0, delivered: 160 });
    expect(page.journal.bytes).toBe(0);
    expect(page.transport.requests.flatMap(({ events }) => events)).toHaveLength(160);
  });

  it('has it in the journal also where no answer comes', async () => {
    const page = new Page();
    page.journal.copies = true;
    const goOn = page.journal.hangAppends();
    page.track(150);
    await page.clock.advance(300);
    page.respond(() => hang(page.transport.requests[0] ?? expect.fail()));
    page.hide();
    expect(page.counts).toMatchObject({ inFlight: 150, volatile: 150 });
    goOn();
    await settle();
    expect(page.counts).toMatchObject({ inFlight: 150, volatile: 0 });
    expect(page.journal.acknowledged).toEqual([]);
  });

  it('keeps in memory what is on its way where the journal does not take it, until it does', async () => {
    const page = new Page();
    page.journal.copies = true;
    page.journal.failAppends = true;
    page.track(150);
    page.respond(() => hang(page.transport.requests[0] ?? expect.fail()));
    page.hide();
    await settle();
    expect(page.counts).toMatchObject({ pending: 150, volatile: 150 });
  });

  it('sends nothing while the service does not answer, and writes all', async () => {
    const page = new Page();
    page.respond(() => failed(false));
    for (let number = 0; number < 5; number += 1) {
      page.track(1);
      await page.clock.advance(1_500);
    }
    await page.clock.advance(5_000);
    expect(page.dispatch.stats.breaker).toBe('open');
    page.track(50);
    expect(page.hide()).toEqual([]);
    await settle();
    expect(page.journal.texts).toHaveLength(55);
  });

  it('sends one request where order is strict, and none while something older waits', async () => {
    const page = new Page('strict');
    await page.dispatch.wake();
    await settle();
    page.track(300);
    page.respond(() => hang(page.transport.requests[0] ?? expect.fail()));
    expect(page.hide(true)).toHaveLength(1);
    page.track(300);
    expect(page.hide(true)).toEqual([]);
    await settle();
    expect(page.journal.texts).toHaveLength(600);
  });
});

describe('a page that is left', () => {
  it('sends what a request that was made before left room for', async () => {
    const page = new Page();
    page.transport.left = 10_000;
    page.track(100);
    const [request, ...others] = page.hide(true);
    expect(others).toEqual([]);
    expect(request?.bytes).toBeLessThanOrEqual(10_000);
  });

  it('does not send an event that is larger than the room', async () => {
    const page = new Page();
    page.track(1, 70_000);
    expect(page.hide(true)).toEqual([]);
    await settle();
    expect(page.journal.texts).toHaveLength(1);
  });
});

describe('a page that is left while nothing that it sends can arrive', () => {
  it('sends and leases nothing after a request that failed, and writes all', async () => {
    const page = new Page('unordered', undefined, 'this page');
    page.respond(() => failed(false));
    page.track(10);
    await page.clock.advance(1_500);
    expect(page.dispatch.stats.breaker).toBe('closed');
    expect(page.transport.requests.length).toBeGreaterThan(0);
    page.leases.length = 0;
    page.track(20);
    expect(page.hide(true)).toEqual([]);
    await settle();
    expect(page.leases).toEqual([]);
    expect(page.journal.texts).toHaveLength(30);
  });

  it('sends again once a request was answered', async () => {
    const page = new Page();
    page.respond(() => failed(false));
    page.track(10);
    await page.clock.advance(1_500);
    page.respond(() => answered(200));
    await page.clock.advance(10_000);
    page.track(20);
    expect(page.hide(true).map(({ count }) => count)).toEqual([20]);
  });

  it('sends nothing where it is told that this is of no use, and writes all', async () => {
    const page = new Page();
    page.track(20);
    expect(page.hide(true, true)).toEqual([]);
    await settle();
    expect(page.journal.texts).toHaveLength(20);
  });
});

describe('a page that comes back from the back/forward cache', () => {
  it('sends what it had in a request once more, when the lease has ended', async () => {
    const page = new Page('unordered', undefined, 'this page');
    let answer: (outcome: Outcome) => void = () => {};
    page.respond(() => new Promise((resolve) => (answer = resolve)));
    page.track(10);
    await page.clock.advance(1_500);
    page.hide(true);
    answer(failed(true));
    page.respond(() => answered(200));
    page.dispatch.show();
    page.track(5);
    await page.clock.advance(LEASE_MS - 2_000);
    expect(page.counts).toMatchObject({ pending: 10, delivered: 5 });
    const ended = page.leases.filter(({ forMs }) => forMs === 0).flatMap(({ ranges }) => ranges);
    expect(ended).toEqual([{ segment: 1, from: 10, to: 15 }]);
    await page.clock.advance(2_000);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 15 });
    expect(page.transport.requests.map(({ events }) => events.length)).toEqual([10, 5, 10]);
  });

  it('sees the answer to what it had in a request', async () => {
    const page = new Page();
    let answer: (outcome: Outcome) => void = () => {};
    page.respond(() => new Promise((resolve) => (answer = resolve)));
    page.track(10);
    await page.clock.advance(1_500);
    page.hide(true);
    page.dispatch.show();
    answer(answered(200));
    await settle();
    expect(page.counts).toMatchObject({ pending: 0, delivered: 10 });
  });
});

describe('a page whose journal others send from', () => {
  it('sends what it has not written, tells the journal so, and leaves to them what they may be sending', async () => {
    const page = new Page('unordered', undefined, 'another page');
    page.track(30);
    await page.clock.advance(300);
    page.track(20);
    expect(page.hide().map(({ count }) => count)).toEqual([20]);
    await settle();
    expect(page.counts).toMatchObject({ pending: 30, delivered: 20 });
    expect(page.waiting.stored).toBe(30);
    const [lease, ...ends] = page.leases;
    expect(lease).toEqual({ ranges: [], forMs: LEASE_MS, isAppending: true });
    expect(ends.every(({ forMs }) => forMs === 0)).toBe(true);
  });

  it('leaves to them at once what it saw fail', async () => {
    const page = new Page('unordered', undefined, 'another page');
    page.journal.copies = true;
    page.track(20);
    page.respond(() => failed(true));
    page.hide();
    await settle();
    expect(page.leases.at(-1)).toEqual({ ranges: [{ segment: 1, from: 0, to: 20 }], forMs: 0 });
  });

  it('sends nothing of what they are about to see', async () => {
    const page = new Page('unordered', undefined, 'another page');
    page.journal.copies = true;
    page.journal.hangAppends();
    page.track(30);
    await page.clock.advance(300);
    page.track(20);
    expect(page.hide()).toEqual([]);
  });

  it('sends all when it is left, and leases what it sends', async () => {
    const page = new Page('unordered', undefined, 'another page');
    page.track(30);
    await page.clock.advance(300);
    page.track(20);
    expect(page.hide(true).map(({ count }) => count)).toEqual([50]);
    expect(page.leases).toEqual([
      { ranges: [{ segment: 1, from: 0, to: 30 }], forMs: LEASE_MS, isAppending: true },
    ]);
  });

  it('sends nothing where order is strict and it is not its turn', async () => {
    const page = new Page('strict', undefined, 'another page');
    page.track(30);
    expect(page.hide()).toEqual([]);
    await settle();
    expect(page.journal.texts).toHaveLength(30);
  });
});
