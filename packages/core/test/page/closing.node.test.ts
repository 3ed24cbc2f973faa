import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FlushReport } from '../../src/index.ts';
import type { Outcome, TransportRequest } from '../../src/send/http/transport.ts';
import { type Watched, watch } from '../bench/bench.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

let origin: FakeOrigin;
/** How many requests were made. */
let requests: number;
let respond: (request: TransportRequest) => Outcome | Promise<Outcome>;

beforeEach(() => {
  origin = new FakeOrigin();
  requests = 0;
  respond = () => answered(200);
  origin.respond = (_, request) => {
    requests += 1;
    return respond(request);
  };
});

afterEach(() => origin.close());

/** Resolves once the signal of a request aborts. */
const aborted = ({ signal }: TransportRequest) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', resolve));
const hang = async (request: TransportRequest): Promise<Outcome> => {
  await aborted(request);
  return { kind: 'failed', cause: new Error('aborted'), maybeSent: true };
};

async function closeNow(tab: FakeTab): Promise<Watched<FlushReport>> {
  const closed = watch(tab.tracker.close({ timeoutMs: 0 }));
  await origin.pass(10);
  tab.isAlive = false;
  return closed;
}

describe('close() in a page', () => {
  it.each<[string, string, (request: TransportRequest) => Outcome | Promise<Outcome>]>([
    ['a request that hangs', 'time-out', hang],
    ['the wait before a retry', 'time-out', () => answered(500)],
    ['a wait that the service asked for', 'asked', () => answered(429, { retryAfter: '60' })],
    ['a pause', 'unauthorized', () => answered(401)],
  ])(
    'ends %s at once, leaves the events to the next page, and says why: %s',
    async (_, pendingReason, how) => {
      respond = how;
      const tab = origin.openTab({ random: () => 0.5 });
      tab.track(10);
      await origin.pass(SECOND, 50);
      expect(requests).toBeGreaterThan(0);
      const closed = await closeNow(tab);
      expect(closed.value).toEqual({ delivered: 0, deadLettered: 0, dropped: 0, pending: 10, pendingReason });
      expect([origin.clock.timers, tab.imbalance]).toEqual([0, 0]);
      const before = requests;
      await origin.pass(HOUR, HOUR / 4);
      expect(requests).toBe(before);
      respond = () => answered(200);
      const next = origin.openTab();
      await origin.pass(60 * SECOND, SECOND);
      expect(next.tracker.stats()).toMatchObject({ recovered: 10, delivered: 10, pending: 0 });
    },
  );

  it('counts an answer that comes as it aborts the request', async () => {
    respond = async (request) => {
      await aborted(request);
      return answered(200);
    };
    const tab = origin.openTab();
    tab.track(3);
    await origin.pass(SECOND);
    const closed = await closeNow(tab);
    expect(closed.value).toEqual({ delivered: 3, deadLettered: 0, dropped: 0, pending: 0 });
  });

  it('reports no failure of a request that it aborts', async () => {
    respond = hang;
    const tab = origin.openTab();
    const failures: unknown[] = [];
    tab.tracker.on('requestFailed', (failure) => failures.push(failure));
    tab.track(3);
    await origin.pass(SECOND);
    await closeNow(tab);
    expect(failures).toEqual([]);
    expect(tab.tracker.stats()).toMatchObject({ maybeDuplicate: 0, pending: 3 });
  });

  it.each([401, 429, 500])('leaves no timer where an answer comes as it aborts: %d', async (status) => {
    respond = async (request) => {
      await aborted(request);
      return answered(status, { retryAfter: '60' });
    };
    const tab = origin.openTab();
    tab.track(1);
    await origin.pass(SECOND);
    const closed = await closeNow(tab);
    expect(closed.value).toMatchObject({ pending: 1 });
    expect(origin.clock.timers).toBe(0);
  });

  it('drops what is in memory alone, and nothing else', async () => {
    respond = () => answered(401);
    const tab = origin.openTab({ journal: 'memory' });
    tab.track(3);
    await origin.pass(SECOND);
    const closed = await closeNow(tab);
    expect(closed.value).toMatchObject({ delivered: 0, dropped: 3, pending: 0 });
    expect([tab.tracker.stats().dropped.closed, tab.imbalance]).toEqual([3, 0]);
  });

  it('does not open the database again, though it drops what could not be stored', async () => {
    respond = () => answered(401);
    const { put } = IDBObjectStore.prototype;
    const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      ...record: Parameters<typeof put>
    ) {
      if (Array.isArray(record[0])) throw new DOMException('scripted', 'QuotaExceededError');
      return put.apply(this, record);
    });
    const tab = origin.openTab();
    tab.track(3);
    await origin.pass(SECOND);
    const closes = vi.spyOn(IDBDatabase.prototype, 'close');
    const opened = vi.spyOn(indexedDB, 'open');
    const closed = await closeNow(tab);
    expect(closed.value).toMatchObject({ dropped: 3, pending: 0 });
    await origin.pass(SECOND);
    expect([closes.mock.calls.length, opened.mock.calls.length]).toEqual([1, 0]);
    for (const mock of [failing, closes, opened]) mock.mockRestore();
  });
});
