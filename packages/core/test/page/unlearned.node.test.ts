import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guards } from '../../src/parts/guards.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let origin: FakeOrigin;
let tab: FakeTab;
/** The bytes of each request. */
let sizes: number[];
let respond: (bytes: number) => Outcome;

beforeEach(() => {
  origin = new FakeOrigin();
  origin.parts = { guards };
  sizes = [];
  origin.respond = (_, { body }) => {
    sizes.push(body.length);
    return respond(body.length);
  };
  tab = origin.openTab({ journal: 'memory', batch: { maxWaitMs: SECOND } });
});

afterEach(() => origin.close());

function track(count: number, bytes = 300): void {
  for (let number = 0; number < count; number += 1) tab.tracker.track('event', { text: 'x'.repeat(bytes) });
}

/** Tracks so many events, and gives the page time to send them. */
async function send(count: number): Promise<void> {
  track(count);
  await origin.pass(5 * MINUTE, SECOND);
  expect(tab.tracker.stats().pending).toBe(0);
}

describe('a page without the part `learn`', () => {
  it('delivers all to a service that takes small bodies, and soon makes few larger ones', async () => {
    const most = 20_000;
    respond = (bytes) => answered(bytes <= most ? 200 : 413);
    await send(1_000);
    sizes = [];
    await send(4_000);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 5_000 });
    const tooLarge = sizes.filter((bytes) => bytes > most).length;
    expect(sizes.length).toBeGreaterThan(10 * tooLarge);
    expect(tab.tracker.stats().bodyLimit).toBeUndefined();
  });

  it('sends an event again that is refused once as too large', async () => {
    respond = () => answered(sizes.length === 1 ? 413 : 200);
    await send(1);
    expect(tab.tracker.stats().delivered).toBe(1);
  });

  it('keeps an event as a dead letter that is refused twice as too large', async () => {
    respond = (bytes) => answered(bytes > 5_000 ? 413 : 200);
    track(1, 10_000);
    await send(1);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 1, deadLettered: 1 });
    // At first both together.
    expect(sizes.filter((bytes) => bytes > 5_000).length).toBeLessThanOrEqual(1 + 2);
  });

  it('keeps no dead letter if the service refuses everything as too large', async () => {
    respond = () => answered(413);
    track(4);
    await origin.pass(5 * MINUTE, SECOND);
    expect(tab.tracker.stats()).toMatchObject({ deadLettered: 0, pending: 4 });
  });

  it('delivers all to a service that refuses every other request as one too many', async () => {
    respond = () => answered(sizes.length % 2 ? 429 : 200);
    await send(4_000);
    expect(tab.tracker.stats().delivered).toBe(4_000);
    expect(tab.tracker.stats().rateLimit).toBeUndefined();
  });

  it('leaves a service alone that asks for time', async () => {
    respond = () => answered(sizes.length === 1 ? 429 : 200, { retryAfter: '60' });
    await send(200);
    const [first = 0, second = 0] = origin.times;
    expect(second - first).toBeGreaterThanOrEqual(MINUTE);
    expect(tab.tracker.stats().delivered).toBe(200);
  });
});
