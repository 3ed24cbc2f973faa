import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEVICE_TIME } from '../../src/accept/event-text.ts';
import { createTracker, type TestOptions } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker } from '../../src/index.ts';
import { answered, ScriptedTransport } from '../bench/scripted-transport.ts';

const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;
const OPTIONS = { baseUrl: 'http://service.example', correlationKey: 'email', journal: 'memory' } as const;

interface SentEvent {
  readonly timestamp: string;
  readonly payload?: unknown;
}

const realNow = Date.now;
const trackers: Tracker[] = [];
const transport = new ScriptedTransport({ now: realNow, setTimeout: () => ({ cancel() {} }) });

/** The device's clock is ahead by so much. */
function setSkew(ms: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
}

/** The service answers with this status, and with a clock that is ahead of the true time by so much. */
function answer(aheadMs: number, status = 200): void {
  transport.respond = () => answered(status, { date: new Date(realNow() + aheadMs).toUTCString() });
}

function create(options: Partial<TestOptions> = {}): Tracker {
  const tracker = createTracker({ ...OPTIONS, transport, ...options });
  trackers.push(tracker);
  tracker.identify('ada@example.com');
  return tracker;
}

/** Tracks an event and returns it as it was sent. */
async function send(tracker: Tracker, ...[payload, options]: [object?, object?]): Promise<SentEvent> {
  tracker.track('viewed', payload, options);
  await tracker.flush({ timeoutMs: 1_000 });
  return transport.requests.at(-1)?.events.at(-1) as SentEvent;
}

/** By how much an event's time differs from the true time, in milliseconds. */
const errorOf = ({ timestamp }: SentEvent) => Math.abs(Date.parse(timestamp) - realNow());

afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  vi.restoreAllMocks();
  globalThis.localStorage?.clear();
});

describe("a device's clock that is wrong", () => {
  it.each([
    ['two years ahead', 2 * YEAR],
    ['two minutes ahead', 2 * MINUTE],
    ['two minutes behind', -2 * MINUTE],
    ['in 1970', -Date.UTC(2026)],
  ])('is corrected once the service has answered: %s', async (_, skewMs) => {
    answer(0);
    setSkew(skewMs);
    const tracker = create();
    await send(tracker);
    expect(errorOf(await send(tracker))).toBeLessThan(MINUTE / 2);
  });

  it('is corrected for an event that is tracked some time after it happened', async () => {
    answer(0);
    setSkew(2 * YEAR);
    const tracker = create({ keepDeviceTimestamp: true });
    await send(tracker);
    const time = Date.now() - 5 * MINUTE;
    const { payload, timestamp } = await send(tracker, {}, { [DEVICE_TIME]: time });
    expect(Math.abs(Date.parse(timestamp) - (time - 2 * YEAR))).toBeLessThan(MINUTE / 2);
    expect(payload).toEqual({ device_timestamp: new Date(time).toISOString() });
  });

  it.each([
    ['is wrong by less than a minute', 0, 45_000],
    ['shows another year than any service', -30 * YEAR, 0],
    ['shows a year that no event may have', 300 * YEAR, 0],
  ])('is left alone if the clock of one of them %s', async (_, aheadMs, skewMs) => {
    answer(aheadMs);
    setSkew(skewMs);
    const tracker = create();
    await send(tracker);
    const { timestamp } = await send(tracker);
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(10_000);
  });

  it('is believed again once it is put right', async () => {
    answer(0);
    setSkew(YEAR);
    const tracker = create();
    await send(tracker);
    setSkew(0);
    await send(tracker);
    expect(errorOf(await send(tracker))).toBeLessThan(10_000);
  });

  it('is not corrected by an answer that accepts nothing', async () => {
    setSkew(0);
    answer(YEAR, 503);
    const tracker = create();
    tracker.track('viewed');
    await tracker.flush({ timeoutMs: 50 });
    answer(0);
    tracker.retryNow();
    await tracker.flush();
    expect(errorOf(await send(tracker))).toBeLessThan(10_000);
  });

  it('is not corrected while a request takes long: its answer is as old as the request may be', async () => {
    let skewMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + skewMs);
    transport.respond = async () => {
      const date = new Date(realNow()).toUTCString();
      // The process slept, or read its socket late.
      skewMs = 10 * MINUTE;
      return answered(200, { date });
    };
    const tracker = create();
    await send(tracker);
    const { timestamp } = await send(tracker);
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(10_000);
  });
});

describe('the time of an event', () => {
  it('stays as it is if the application gives it', async () => {
    answer(0);
    setSkew(YEAR);
    const tracker = create();
    await send(tracker);
    const timestamp = '2031-01-02T03:04:05.678Z';
    expect(await send(tracker, undefined, { timestamp })).toMatchObject({ timestamp });
  });

  it("keeps this device's time beside it if the user asks", async () => {
    answer(0);
    setSkew(YEAR);
    const tracker = create({ keepDeviceTimestamp: true });
    expect((await send(tracker, { a: 1 })).payload).toEqual({ a: 1 });
    const { payload } = await send(tracker, { a: 1 });
    const { device_timestamp: kept, ...others } = payload as { device_timestamp: string };
    expect(others).toEqual({ a: 1 });
    expect(Math.abs(Date.parse(kept) - Date.now())).toBeLessThan(10_000);
    expect(Object.keys((await send(tracker)).payload as object)).toEqual(['device_timestamp']);
    expect(Object.keys((await send(tracker, {})).payload as object)).toEqual(['device_timestamp']);
    expect((await send(tracker, { device_timestamp: 7 })).payload).toEqual({ device_timestamp: 7 });
  });

  it("is that of the user's own clock, uncorrected", async () => {
    const clock = new VirtualClock();
    answer(YEAR);
    const tracker = create({ clock, batch: { maxEvents: 1 } });
    for (let count = 0; count < 3; count += 1) {
      tracker.track('viewed');
      await vi.waitFor(() => expect(tracker.stats().pending).toBe(0));
    }
    const sent = transport.requests.at(-1)?.events.at(-1) as SentEvent;
    expect(sent.timestamp).toBe(new Date(clock.now()).toISOString());
  });
});

describe.runIf('document' in globalThis)('a later page', () => {
  it('corrects its first events too', async () => {
    answer(0);
    setSkew(YEAR);
    await send(create());
    expect(errorOf(await send(create()))).toBeLessThan(MINUTE / 2);
  });

  it.each([
    ['ahead', YEAR],
    ['behind', -YEAR],
  ])('believes a clock that was %s, and was put right meanwhile', async (_, skewMs) => {
    answer(0);
    setSkew(skewMs);
    await send(create());
    setSkew(2_000);
    expect(errorOf(await send(create()))).toBeLessThan(10_000);
  });

  it.each(['junk', '1e999 5', '9e15 1780000000000', '-9e15 1780000000000', 'NaN NaN'])(
    'ignores what another script stored: %s',
    async (stored) => {
      answer(0);
      localStorage.setItem('sluice clock', stored);
      expect(errorOf(await send(create()))).toBeLessThan(10_000);
    },
  );
});
