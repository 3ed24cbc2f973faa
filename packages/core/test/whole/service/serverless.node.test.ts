import { afterEach, describe, expect, it } from 'vitest';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { FlushReport, Tracker } from '../../../src/index.ts';
import { answered, ScriptedTransport, type SeenRequest } from '../../bench/scripted-transport.ts';
import { SkewedClock } from '../../bench/skewed-clock.ts';

const ada = { correlationValue: 'ada@example.com' };
const FLUSH_MS = 1_000;
const FROZEN_MS = 15 * 60_000;

/** A serverless function. It is frozen as soon as it has answered, with all its timers and connections. */
class Host {
  readonly time = new VirtualClock();
  readonly clock = new SkewedClock(this.time);
  readonly transport = new ScriptedTransport(this.clock);
  readonly tracker: Tracker = createTracker({
    ...{ baseUrl: 'http://service.example', correlationKey: 'email', journal: 'memory' },
    ...{ clock: this.clock, transport: this.transport, random: () => 0.5 },
  });
  readonly tracked: string[] = [];
  readonly taken: string[] = [];
  readonly #thaw: Thaw;

  constructor(thaw: Thaw) {
    this.#thaw = thaw;
    this.transport.respond = (request) => this.take(request);
  }

  take({ text }: SeenRequest): ReturnType<typeof answered> {
    this.taken.push(...(text.match(/invocation \d+ event \d+/g) ?? []));
    return answered(200);
  }

  /** The handler: tracks, and flushes before it answers. */
  async invoke(invocation: number): Promise<FlushReport> {
    for (let number = 0; number < 20; number += 1) {
      const name = `invocation ${invocation} event ${number}`;
      this.tracked.push(name);
      this.tracker.track(name, {}, ada);
    }
    const flushed = this.tracker.flush({ timeoutMs: FLUSH_MS });
    await settle();
    if (this.tracker.stats().pending > 0) await this.time.advance(FLUSH_MS);
    return flushed;
  }

  async freeze(): Promise<void> {
    await this.#thaw(this);
  }
}

type Thaw = (host: Host) => Promise<void>;

const hosts: Host[] = [];
afterEach(async () => {
  for (const { tracker, time } of hosts.splice(0)) {
    const closed = tracker.close({ timeoutMs: 0 });
    await time.advance(0);
    await closed;
  }
});

describe.each<[string, Thaw]>([
  [
    'whose timers stood still',
    async ({ clock }) => {
      clock.skewMs += FROZEN_MS;
    },
  ],
  ['whose timers are all late', ({ time }) => time.advance(FROZEN_MS)],
])('a function that flushes before it is frozen, and %s when it goes on', (_, thaw) => {
  function create(): Host {
    const host = new Host(thaw);
    hosts.push(host);
    return host;
  }

  it('delivers everything once, and is frozen without a timer', async () => {
    const host = create();
    for (let invocation = 0; invocation < 20; invocation += 1) {
      expect(await host.invoke(invocation)).toMatchObject({ delivered: 20, pending: 0 });
      expect(host.time.timers).toBe(0);
      await host.freeze();
    }
    expect(host.taken).toEqual(host.tracked);
  });

  it('keeps what the service did not take, and delivers it once the service is back', async () => {
    const host = create();
    await host.invoke(0);
    host.transport.respond = () => answered(503);
    for (let invocation = 1; invocation < 6; invocation += 1) {
      expect(await host.invoke(invocation)).toMatchObject({ delivered: 0, dropped: 0 });
      await host.freeze();
    }
    host.transport.respond = (request) => host.take(request);
    // Waits before a retry may stand still too. They continue while the function runs, a second each time.
    for (let invocation = 6; invocation < 20; invocation += 1) {
      await host.invoke(invocation);
      await host.freeze();
    }
    expect([...host.taken].sort()).toEqual([...host.tracked].sort());
    expect(host.tracker.stats()).toMatchObject({ accepted: 400, delivered: 400, pending: 0 });
  });

  it('sends again what was under way when it was frozen, for the connection is gone', async () => {
    const host = create();
    let reset = () => {};
    host.transport.respond = () =>
      new Promise((resolve) => {
        reset = () => resolve({ kind: 'failed', cause: new Error('reset'), maybeSent: true });
      });
    expect(await host.invoke(0)).toMatchObject({ delivered: 0, pending: 20 });
    host.transport.respond = (request) => host.take(request);
    await host.freeze();
    reset();
    await host.invoke(1);
    await host.freeze();
    await host.invoke(2);
    expect([...host.taken].sort()).toEqual([...host.tracked].sort());
    expect(host.tracker.stats()).toMatchObject({ delivered: 60, pending: 0, maybeDuplicate: 20 });
  });
});
