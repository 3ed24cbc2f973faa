import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTracker } from '../../src/index.ts';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import type { Outcome, Transport } from '../../src/send/http/transport.ts';
import { Bench, textsOf, watch } from '../bench/bench.ts';
import { createGate, FakeJournal } from '../bench/fake-journal.ts';
import { answered } from '../bench/scripted-transport.ts';

it('what waits for its retry during a pause ends at once when consent is denied', async () => {
  const bench = new Bench({ journal: new FakeJournal() });
  bench.answer(() => 503);
  await bench.track(3);
  await bench.pass(120_000);
  expect(bench.tracker.stats()).toMatchObject({ breaker: 'open', inFlight: 3 });
  bench.tracker.setConsent('denied');
  await bench.quiet();
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, dropped: { denied: 3 } });
});

it('an acceptance after a denial brings nothing back', async () => {
  const bench = new Bench({ journal: new FakeJournal(), maxEvents: 1, delivery: { maxConcurrency: 4 } });
  bench.answer(() => 503);
  await bench.track(6);
  await bench.pass(120_000);
  let answer = (_: Outcome): void => {};
  bench.answer(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  bench.tracker.retryNow();
  await bench.quiet();
  bench.tracker.setConsent('denied');
  await bench.quiet();
  answer(answered(200));
  await bench.pass(60_000);
  const before = bench.requests;
  bench.answer(() => 200);
  bench.tracker.setConsent('granted');
  await bench.track(1);
  await bench.pass(60_000);
  expect(bench.requests - before).toBe(1);
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 2, dropped: { denied: 5 } });
});

it('dead letters whose replay is in progress end when consent is denied', async () => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal, maxEvents: 1 });
  bench.refuse((number) => number === 0, 422);
  await bench.track(40);
  await bench.pass(60_000);
  expect(await bench.kept()).toEqual([0]);
  bench.answer(() => 200);
  const release = journal.hangAppends();
  const replayed = watch(bench.tracker.deadLetters.replay());
  await bench.quiet();
  bench.tracker.setConsent('denied');
  await bench.quiet();
  release();
  await bench.pass(1_000);
  expect(replayed.isOver).toBe(true);
  expect(bench.tracker.stats().pending).toBe(0);
  bench.tracker.setConsent('granted');
  await bench.track(1);
  await bench.pass(10_000);
  expect(bench.taken).not.toContain(0);
});

it('what failed before is not sent after a denial, though the sender reads the journal just then', async () => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal, maxEvents: 1, delivery: { maxConcurrency: 1 } });
  bench.answer(() => 500);
  await bench.track(4);
  await bench.pass(300, 10);
  await journal.leave(textsOf([100, 101]));
  let requests = 0;
  const release = journal.hangReads();
  await bench.pass(2_000, 10);
  requests = bench.requests;
  bench.tracker.setConsent('denied');
  release();
  bench.answer(() => 200);
  await bench.pass(60_000);
  expect(bench.requests - requests).toBe(0);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 0, pending: 0 });
});

it.each([
  ['fails', 503, { delivered: 0, dropped: { denied: 3 } }],
  ['is accepted', 200, { delivered: 3, dropped: { denied: 0 } }],
])('the journal keeps nothing of a request that %s after a denial', async (_, status, counts) => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal });
  const gate = createGate();
  bench.answer(() => gate.promise.then(() => answered(status)));
  await bench.track(3);
  bench.tracker.setConsent('denied');
  await bench.quiet();
  const released = [{ segment: 1, from: 0, to: 3 }];
  expect([bench.tracker.stats().inFlight, journal.acknowledged]).toEqual([3, released]);
  gate.open();
  await bench.quiet();
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, ...counts });
  expect(journal.acknowledged).toEqual(released);
});

it('the journal gets nothing of a request after a denial, though it failed before', async () => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal });
  bench.answer(() => new Promise(() => {}));
  journal.failAppends = true;
  await bench.track(3);
  expect(bench.tracker.stats()).toMatchObject({ inFlight: 3, unwritten: 3 });
  bench.tracker.setConsent('denied');
  journal.failAppends = false;
  await bench.pass(60_000);
  expect([bench.tracker.stats().inFlight, journal.texts]).toEqual([3, []]);
});

it('an answer after a denial makes no dead letters', async () => {
  const classify = () => [{ index: 1, reason: 'bad' }];
  const bench = new Bench({ journal: new FakeJournal(), delivery: { classify } });
  let answer = (_: Outcome): void => {};
  bench.answer(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await bench.track(3);
  await bench.pass(100);
  bench.tracker.setConsent('denied');
  await bench.quiet();
  answer(answered(200));
  await bench.pass(1_000);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0, dropped: { denied: 1 } });
  expect(await bench.kept()).toEqual([]);
});

it('a denial that is taken back at once drops nothing that is tracked after that', async () => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal });
  const release = journal.hangAppends();
  bench.trackNow(3);
  await bench.quiet();
  bench.tracker.setConsent('denied');
  bench.tracker.setConsent('granted');
  bench.trackNow(4);
  release();
  await bench.pass(1_000);
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 4, dropped: { denied: 3 } });
  expect(bench.taken).toEqual([3, 4, 5, 6]);
});

it('what is being compressed is not sent once consent is denied', async () => {
  const bench = new Bench({ journal: new FakeJournal(), compress: true });
  bench.trackNow(1, { bytes: 100_000 });
  await bench.clock.advance(1);
  await vi.waitFor(() => expect(bench.tracker.stats().inFlight).toBe(1), { interval: 0 });
  bench.tracker.setConsent('denied');
  await vi.waitFor(() => expect(bench.tracker.stats().dropped.denied).toBe(1));
  expect(bench.requests).toBe(0);
  expect(bench.attemptsFailed).toEqual([]);
  bench.check();
});

it('what was sent compressed, and is refused once consent is denied, is not sent again plain', async () => {
  let answer = (_: Outcome): void => {};
  const encodings: unknown[] = [];
  const post: Transport['post'] = ({ headers }) => {
    encodings.push(headers['content-encoding']);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const transport = { post, close: async () => {} };
  const bench = new Bench({ journal: new FakeJournal(), compress: true, transport });
  bench.trackNow(1, { bytes: 100_000 });
  await bench.clock.advance(1);
  await vi.waitFor(() => expect(encodings).toEqual(['gzip']));
  bench.tracker.setConsent('denied');
  answer(answered(415));
  await vi.waitFor(() => expect(bench.tracker.stats().dropped.denied).toBe(1));
  expect(encodings).toEqual(['gzip']);
});

it('a denial that is taken back at once drops nothing that is tracked after that, though the sender reads the journal', async () => {
  const journal = new FakeJournal();
  const bench = new Bench({ journal, maxEvents: 1 });
  const release = journal.hangReads();
  await journal.leave(textsOf([100]));
  await bench.quiet();
  bench.tracker.setConsent('denied');
  bench.tracker.setConsent('granted');
  await bench.track(1);
  release();
  await bench.pass(1_000);
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 1, dropped: { denied: 1 } });
});

it('nothing is sent once consent is denied, however near the request was', async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    const bench = new Bench();
    bench.trackNow(1);
    const flush = bench.tracker.flush({ timeoutMs: 1_000 });
    for (let turn = 0; turn < turns; turn += 1) await undefined;
    const before = bench.requests;
    bench.tracker.setConsent('denied');
    await bench.pass(1_000);
    await flush;
    expect([turns, bench.requests]).toEqual([turns, before]);
  }
});

it.each(['for good', 'for a moment'])('held events on the way end if consent is denied %s', async (time) => {
  for (let turns = 0; turns < 80; turns += 1) {
    const bench = new Bench({ journal: new FakeJournal(), unidentified: { hold: true } });
    // More than are read at once.
    for (let n = 0; n < 260; n += 1) bench.tracker.track('seen', { n });
    await bench.pass(100);
    expect(bench.tracker.stats().held).toBe(260);
    bench.tracker.identify('ada@example.com');
    for (let turn = 0; turn < turns; turn += 1) await undefined;
    const before = bench.requests;
    bench.tracker.setConsent('denied');
    if (time !== 'for good') bench.tracker.setConsent('granted');
    await bench.pass(1_000);
    const { delivered, dropped, held, pending } = bench.tracker.stats();
    expect([turns, held, pending, delivered + dropped.denied]).toEqual([turns, 0, 0, 260]);
    bench.tracker.setConsent('granted');
    await bench.pass(1_000);
    expect([turns, bench.requests]).toEqual([turns, before]);
  }
});

/** A tracker whose dead letters are in a journal of their own. It finds one of an earlier process there. */
async function benchWithLetter() {
  const text = '{"id":"1","at":"","status":422,"excerpt":"","event":{"event":"event","payload":{"n":7}}}';
  const letters = new FakeJournal();
  const part = (name: string) => (name === 'dead-letters' ? letters : undefined);
  const journal = Object.assign(new FakeJournal(), { part });
  await letters.leave([text]);
  return { bench: new Bench({ journal }), journal, letters, text };
}

it('dead letters of a process that ends after a denial are deleted once they are found', async () => {
  const { bench, letters, text } = await benchWithLetter();
  const counts: number[] = [];
  bench.tracker.on('deadLettersDropped', ({ count }) => counts.push(count));
  bench.tracker.setConsent('denied');
  await bench.quiet();
  await letters.leave([text, text]);
  await bench.quiet();
  expect([counts, letters.bytes, await bench.kept()]).toEqual([[1, 2], 0, []]);
});

it('dead letters that could not be deleted at a denial are deleted by a replay, and not sent', async () => {
  const { bench, journal, letters } = await benchWithLetter();
  letters.failAcknowledgements = true;
  bench.tracker.setConsent('denied');
  await bench.quiet();
  letters.failAcknowledgements = false;
  expect(await bench.kept()).toEqual([7]);
  expect(await bench.tracker.deadLetters.replay()).toBe(0);
  bench.tracker.setConsent('granted');
  await bench.pass(1_000);
  expect([journal.texts, bench.requests, await bench.kept()]).toEqual([[], 0, []]);
});

it('what the service refuses is kept no more once consent is denied', async () => {
  const bench = new Bench({
    delivery: { classify: () => [1, 3, 5].map((index) => ({ index, reason: 'bad' })) },
  });
  bench.tracker.on('deadLettered', () => bench.tracker.setConsent('denied'));
  await bench.track(10);
  await bench.pass(60_000);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 7, deadLettered: 1, dropped: { denied: 2 } });
  expect(await bench.kept()).toEqual([]);
});

it('what was stored is deleted where a process has denied consent from its start, and ends at once', async () => {
  const journalDirectory = await mkdtemp(join(tmpdir(), 'sluice-'));
  onTestFinished(() => rm(journalDirectory, { recursive: true, force: true }));
  const options = {
    ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email', journalDirectory },
    unidentified: { hold: true },
    logger: false,
  } as const;
  const before = createTracker(options);
  before.track('held');
  before.for('ada@example.com').track('stored');
  await before.close({ timeoutMs: 0 });
  const failures: Error[] = [];
  const denied = createTracker({ ...options, consent: 'denied' });
  denied.on('storageFailed', ({ error }) => failures.push(error));
  await denied.close({ timeoutMs: 0 });
  const after = createTracker(options);
  after.track('held');
  await after.flush({ timeoutMs: 1 });
  await after.durable();
  expect([after.stats().pending, failures]).toEqual([1, []]);
  await after.close({ timeoutMs: 0 });
});

it('a tracker closes though the journal of held events cannot be closed', async () => {
  class Failing extends MemoryJournal {
    part(name: string): MemoryJournal {
      const part = new MemoryJournal(1_000_000);
      if (name === 'unidentified')
        part.close = async () => {
          throw new Error('mine');
        };
      return part;
    }
  }
  const journal = new Failing(1_000_000);
  const closed = vi.spyOn(journal, 'close');
  const failures: string[] = [];
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email' },
    ...{ logger: false as const, journal },
  });
  tracker.on('storageFailed', ({ error }) => failures.push(error.message));
  await tracker.close({ timeoutMs: 0 });
  expect([closed.mock.calls.length, failures]).toEqual([1, [expect.stringContaining('mine')]]);
});
