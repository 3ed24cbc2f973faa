import { describe, expect, it } from 'vitest';
import type { FlushReport } from '../../../src/index.ts';
import { Bench, textsOf, type Watched, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered, hang, type ScriptedTransport } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

/** Closes the tracker without waiting for answers. Lets no time pass. */
async function closeNow(bench: Bench): Promise<Watched<FlushReport>> {
  const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
  await bench.clock.advance(0);
  await bench.quiet();
  return closed;
}

describe('close()', () => {
  it.each<[string, string, ScriptedTransport['respond']]>([
    ['a request that hangs', 'time-out', hang],
    ['the wait before a retry', 'time-out', () => answered(500)],
    ['a wait that the service asked for', 'asked', () => answered(429, { retryAfter: '60' })],
    ['a pause', 'unauthorized', () => answered(401)],
  ])(
    'ends %s at once, leaves the events to the journal, and says why: %s',
    async (_, pendingReason, respond) => {
      const journal = new FakeJournal();
      const bench = new Bench({ journal, maxEvents: 2, delivery: { maxConcurrency: 2 } });
      bench.transport.respond = respond;
      await bench.track(10);
      const { requests } = bench;
      const closed = await closeNow(bench);
      const nothing = { delivered: 0, deadLettered: 0, dropped: 0 };
      expect(closed.value).toEqual({ ...nothing, pending: 10, pendingReason });
      expect(bench.clock.timers).toBe(0);
      expect(journal.acknowledged).toEqual([]);
      await bench.pass(HOUR);
      expect(bench.requests).toBe(requests);
    },
  );

  it('counts an answer that comes when it aborts the request', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    bench.answer(async (_, request) => {
      await hang(request);
      return answered(200);
    });
    await bench.track(3);
    const closed = await closeNow(bench);
    expect(closed.value).toEqual({ delivered: 3, deadLettered: 0, dropped: 0, pending: 0 });
    expect(journal.acknowledged).toHaveLength(1);
  });

  it('reports no failure of a request that it aborts', async () => {
    const bench = new Bench({ journal: new FakeJournal() });
    bench.answer((_, request) => hang(request));
    await bench.track(3);
    await closeNow(bench);
    expect(bench.attemptsFailed).toEqual([]);
    expect(bench.tracker.stats()).toMatchObject({ maybeDuplicate: 0, pending: 3 });
  });

  it('leaves all parts of a batch that was cut, also those that were not sent yet', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    bench.answer((numbers, request) => (numbers.length > 4 ? 413 : hang(request)));
    await bench.track(8);
    const closed = await closeNow(bench);
    expect(bench.requests).toBe(2);
    expect(closed.value).toMatchObject({ pending: 8 });
    expect(journal.acknowledged).toEqual([]);
  });

  it('reports nothing and sets no timer, where a read fails after it', async () => {
    const journal = new FakeJournal();
    await journal.leave(textsOf([0]));
    const release = journal.hangReads();
    const bench = new Bench({ journal });
    await bench.pass(1);
    expect(journal.calls.at(-1)).toBe('read');
    const closed = await closeNow(bench);
    journal.failReads = true;
    release();
    await bench.quiet();
    expect(closed.value).toMatchObject({ pending: 1 });
    expect(bench.storageFailures).toEqual([]);
    expect(bench.clock.timers).toBe(0);
  });

  it.each([401, 429, 500])('leaves no timer, where an answer comes when it aborts: %d', async (status) => {
    const bench = new Bench({ journal: new FakeJournal() });
    bench.answer(async (_, request) => {
      await hang(request);
      return answered(status, { retryAfter: '60' });
    });
    await bench.track(1);
    const closed = await closeNow(bench);
    expect(closed.value).toMatchObject({ pending: 1 });
    expect(bench.clock.timers).toBe(0);
  });

  it('resolves once the journal has noted what the service accepted', async () => {
    const journal = new FakeJournal();
    const release = journal.hangAcknowledgements();
    const bench = new Bench({ journal });
    await bench.track(3);
    const closed = await closeNow(bench);
    expect(closed.isOver).toBe(false);
    release();
    await bench.quiet();
    expect(closed.value).toMatchObject({ delivered: 3, pending: 0 });
    expect(journal.acknowledged).toHaveLength(1);
  });

  it('ends no event any more once the sender has stopped, however long the journal still writes', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, storage: { maxAgeMs: SECOND }, batch: { maxWaitMs: 100 } });
    bench.answer(() => 500);
    await bench.track(1);
    await bench.pass(500);
    const write = journal.hangAppends();
    await bench.track(1);
    const closed = await closeNow(bench);
    await bench.pass(2 * SECOND);
    write();
    await bench.quiet();
    expect(closed.value).toMatchObject({ dropped: 0, pending: 2 });
    expect(journal.acknowledged).toEqual([]);
  });

  it('resolves once the journal has noted which events expired', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, maxEvents: 2, storage: { maxAgeMs: 10 * SECOND } });
    bench.answer((_, request) => hang(request));
    await bench.track(4);
    const release = journal.hangAcknowledgements();
    await bench.pass(11 * SECOND);
    const closed = await closeNow(bench);
    expect(closed.isOver).toBe(false);
    release();
    await bench.quiet();
    expect(closed.value).toMatchObject({ pending: 2 });
    expect(journal.acknowledged).toHaveLength(1);
  });
});
