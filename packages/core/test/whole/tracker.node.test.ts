import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { systemClock } from '@sluice/protocol/toolbox';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type TestOptions } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { ConfigError, type Tracker, type TrackerEvents, type Transport } from '../../src/index.ts';
import { FileJournal } from '../../src/keep/file/file-journal.ts';
import { FailingFileSystem } from '../bench/failing-file-system.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const ada = { correlationValue: 'ada@example.com' };
const canary = 'canary-7f3a91-key';
/** A port on which nobody listens. */
const nowhere = 'http://127.0.0.1:9';

let directory = '';
const trackers: Tracker[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(scratch, 'journal-'));
});

afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
});

function create(baseUrl: string, options: Partial<TestOptions> = {}): Tracker {
  const tracker = createTracker({
    baseUrl,
    apiKey: canary,
    correlationKey: 'email',
    ...(options.journal === undefined && { journalDirectory: directory }),
    ...options,
  });
  trackers.push(tracker);
  return tracker;
}

/** Resolves when the tracker next emits this event. */
function raised<Name extends keyof TrackerEvents>(
  tracker: Tracker,
  name: Name,
): Promise<TrackerEvents[Name]> {
  return new Promise((resolve) => tracker.on(name, resolve));
}

function expectBalanced(tracker: Tracker): void {
  const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
}

describe('a tracker with a service that works', () => {
  let emulator: Emulator;

  beforeAll(async () => {
    emulator = await startEmulator({ primaryKey: 'email', apiKey: canary });
  });
  afterAll(() => emulator.close());

  it('delivers what is tracked as the interface has it', async () => {
    const tracker = create(emulator.baseUrl);
    const payload = { total: 42.5, items: [{ sku: 'A-1' }], note: 'ä€😀', nothing: null };
    tracker.track('as the interface has it', payload, {
      ...ada,
      source: 'mobile',
      timestamp: new Date('2026-01-02T03:04:05.678Z'),
      uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    });
    expect(await tracker.flush()).toEqual({ delivered: 1, deadLettered: 0, dropped: 0, pending: 0 });
    const [stored] = await emulator.events({ name: 'as the interface has it' });
    expect(stored?.event).toEqual({
      event: 'as the interface has it',
      correlationKey: 'email',
      correlationValue: 'ada@example.com',
      source: 'mobile',
      timestamp: '2026-01-02T03:04:05.678Z',
      uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      payload,
    });
  });

  it('attributes events to the user who was identified, from then on', async () => {
    const tracker = create(emulator.baseUrl);
    tracker.track('before', {}, { correlationValue: 'first@example.com' });
    tracker.identify('ada@example.com');
    tracker.track('after');
    tracker.track('after, for another', {}, { correlationValue: 'bob@example.com' });
    await tracker.flush();
    const events = await Promise.all(
      ['before', 'after', 'after, for another'].map((name) => emulator.events({ name })),
    );
    expect(events.map(([stored]) => stored?.event.correlationValue)).toEqual([
      'first@example.com',
      'ada@example.com',
      'bob@example.com',
    ]);
  });

  it('takes a burst of 30,000 events in one go and loses none', async () => {
    const tracker = create(emulator.baseUrl);
    for (let number = 0; number < 30_000; number += 1) tracker.track('burst', { number }, ada);
    const report = await tracker.flush();
    expect(report).toEqual({ delivered: 30_000, deadLettered: 0, dropped: 0, pending: 0 });
    expect(await emulator.countEvents({ name: 'burst' })).toEqual({ unique: 30_000, received: 30_000 });
    expectBalanced(tracker);
  });

  it('sends a burst in its first second, though a process that just started waits for full batches', async () => {
    const startedAt = Date.now();
    const tracker = create(emulator.baseUrl, { clock: { ...systemClock, now: () => startedAt } });
    for (let number = 0; number < 15_000; number += 1) tracker.track('early', { number }, ada);
    await expect.poll(() => emulator.countEvents({ name: 'early' })).not.toMatchObject({ unique: 0 });
  });

  it('spills what does not fit into memory to the journal, and delivers it all', async () => {
    const options = { buffer: { maxEvents: 1_000, maxBytes: 1_000_000 }, batch: { maxEvents: 500 } };
    const tracker = create(nowhere, options);
    for (let round = 0; round < 10; round += 1) {
      for (let number = 0; number < 900; number += 1) tracker.track('spilled', { round, number }, ada);
      await expect.poll(() => tracker.stats().unwritten).toBe(0);
    }
    expect(tracker.stats()).toMatchObject({ accepted: 9_000, pending: 9_000, dropped: { 'buffer-full': 0 } });
    // All but the events in memory, and the eight batches of 500 that may have been in flight when the breaker opened.
    expect(tracker.stats().stored).toBeGreaterThanOrEqual(4_000);
    expectBalanced(tracker);
    await tracker.close({ timeoutMs: 0 });

    const heir = create(emulator.baseUrl);
    expect((await heir.flush()).delivered).toBe(9_000);
    expect(await emulator.countEvents({ name: 'spilled' })).toEqual({ unique: 9_000, received: 9_000 });
  });

  it('keeps a backlog while the service is away and delivers it when it is back', async () => {
    const service = await startEmulator({ primaryKey: 'email', apiKey: canary });
    const tracker = create(service.baseUrl, { delivery: { retryBaseMs: 1, retryMaxMs: 10 } });
    await service.suspend();
    for (let number = 0; number < 2_000; number += 1) tracker.track('outage', { number }, ada);
    const away = await tracker.flush({ timeoutMs: 100 });
    expect(away).toMatchObject({ delivered: 0, deadLettered: 0, dropped: 0, pending: 2_000 });
    expectBalanced(tracker);
    await service.resume();
    expect(await tracker.flush()).toMatchObject({ delivered: 2_000, pending: 0 });
    expect(await service.countEvents()).toEqual({ unique: 2_000, received: 2_000 });
    await service.close();
  });

  it('leaves to the next tracker what could not be delivered before close()', async () => {
    const first = create(nowhere);
    for (let number = 0; number < 100; number += 1) first.track('left', { number }, ada);
    expect(await first.close({ timeoutMs: 20 })).toMatchObject({ delivered: 0, pending: 100 });

    const second = create(emulator.baseUrl);
    expect(await second.flush()).toMatchObject({ delivered: 100, pending: 0 });
    expect(second.stats()).toMatchObject({ accepted: 0, recovered: 100, delivered: 100 });
    expect(await emulator.countEvents({ name: 'left' })).toEqual({ unique: 100, received: 100 });
    await second.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('works without a file when its journal is memory', async () => {
    const tracker = create(emulator.baseUrl, { journal: 'memory' });
    tracker.track('in memory', {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    expect(tracker.stats().journal).toBe('memory');
  });

  it('goes on in memory where the directory cannot be used, and says so', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const tracker = create(emulator.baseUrl, { journalDirectory: join(file, 'journal') });
    const failed = raised(tracker, 'storageFailed');
    tracker.track('without a disk', {}, ada);
    expect((await failed).error).toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('a-file'),
    });
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    expect(tracker.stats().journal).toBe('memory');
  });

  it('writes to the disk again once it works, and then leaves everything to the next tracker', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const place = join(file, 'journal');
    const tracker = create(nowhere, { journalDirectory: place });
    const failed = raised(tracker, 'storageFailed');
    for (let number = 0; number < 3_000; number += 1) tracker.track('disk is back', { number }, ada);
    await failed;
    await rm(file);
    const report = await tracker.close({ timeoutMs: 50 });
    expect(report.pending + report.dropped).toBe(3_000);
    expectBalanced(tracker);
    // Events that were in a request when the disk failed are only in memory: at most four batches of 500.
    expect(report.dropped).toBeLessThanOrEqual(2_000);
    const heir = create(emulator.baseUrl, { journalDirectory: place });
    expect((await heir.flush()).delivered).toBe(report.pending);
  });

  it('is closed at the end of its scope', async () => {
    {
      await using tracker = create(emulator.baseUrl);
      tracker.track('in a scope', {}, ada);
    }
    expect(await emulator.countEvents({ name: 'in a scope' })).toEqual({ unique: 1, received: 1 });
  });

  it('counts what is tracked after close() as dropped, and raises it', async () => {
    const tracker = create(emulator.baseUrl);
    await tracker.close();
    const dropped = raised(tracker, 'dropped');
    tracker.track('too late', {}, ada);
    expect(await dropped).toEqual({ reason: 'closed', count: 1 });
    expectBalanced(tracker);
    expect(await tracker.flush()).toEqual({ delivered: 0, deadLettered: 0, dropped: 0, pending: 0 });
  });

  it('counts what memory has no room for as dropped, and raises it', async () => {
    const tracker = create(nowhere, { journal: 'memory', buffer: { maxEvents: 10, maxBytes: 100_000 } });
    for (let number = 0; number < 25; number += 1) tracker.track('too many', { number }, ada);
    expect(tracker.stats()).toMatchObject({ accepted: 25, pending: 10, dropped: { 'buffer-full': 15 } });
    expectBalanced(tracker);
  });

  it('ends flush() and close() in time and without rejecting, whatever hangs or fails, and refuses wrong options', async () => {
    const never = () => new Promise<never>(() => {});
    const clock = new VirtualClock();
    const tracker = create(nowhere, {
      journal: 'memory',
      clock,
      transport: { post: never, close: () => Promise.reject(new Error('cannot close')) },
    });
    tracker.track('stuck', {}, ada);
    const flush = (options: unknown) => Reflect.apply(tracker.flush, tracker, [options]);
    for (const wrong of [
      { timeoutMs: Number.NaN },
      { timeoutMs: '1' },
      { signal: new AbortController() },
      new AbortController().signal,
      7,
    ])
      await expect(flush(wrong)).rejects.toThrow(ConfigError);
    const ends = [null, {}, { timeoutMs: -1 }, { timeoutMs: Number.POSITIVE_INFINITY }].map(flush);
    const closed = tracker.close({ timeoutMs: 1_000 });
    const late = tracker.flush();
    await clock.advance(100_000);
    expect(await closed).toMatchObject({ delivered: 0, dropped: 1, pending: 0 });
    for (const end of [...ends, late]) expect(await end).toMatchObject({ delivered: 0 });
    expectBalanced(tracker);
  });

  it('says of what only memory held when it closed that it is dropped', async () => {
    const tracker = create(nowhere, { journal: 'memory' });
    for (let number = 0; number < 10; number += 1) tracker.track('in memory', { number }, ada);
    const dropped = raised(tracker, 'dropped');
    expect(await tracker.close({ timeoutMs: 50 })).toEqual({
      delivered: 0,
      deadLettered: 0,
      dropped: 10,
      pending: 0,
    });
    expect(await dropped).toEqual({ reason: 'closed', count: 10 });
    expectBalanced(tracker);
  });

  it('prints no warning where many trackers live in one process', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    for (let count = 0; count < 30; count += 1) create(nowhere, { journal: 'memory' });
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('sends what was tracked without being asked, once it is old enough', async () => {
    const tracker = create(emulator.baseUrl, { batch: { maxWaitMs: 20 } });
    const delivered = raised(tracker, 'delivered');
    tracker.track('by itself', {}, ada);
    expect(await delivered).toEqual({ count: 1 });
  });

  it('disturbs nothing with what cannot be sent, and raises each', async () => {
    const tracker = create(emulator.baseUrl);
    const fields: string[] = [];
    tracker.on('invalid', ({ error }) => fields.push(error.field));
    tracker.on('invalid', () => {
      throw new Error('a listener of the application');
    });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const track = tracker.track.bind(tracker) as (...values: unknown[]) => void;
    track('', {}, ada);
    track(undefined, {}, ada);
    track('no correlation value');
    track('a number', {}, { correlationValue: 7 });
    track('BigInt', { deep: [{ value: 1n }] }, ada);
    track('Map', { call: new Map() }, ada);
    track(
      'getter',
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
      ada,
    );
    track('cycle', cycle, ada);
    track('not an object', 'text', ada);
    track('unknown option', {}, { correlatonValue: 'x' });
    track('time', {}, { ...ada, timestamp: 'yesterday' });
    track('uuid', {}, { ...ada, uuid: '7' });
    track('large', { text: 'x'.repeat(300_000) }, ada);
    tracker.track('fine', {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    expect(fields.slice(0, 6)).toEqual([
      'event',
      'event',
      'correlationValue',
      'correlationValue',
      'payload.deep[0].value',
      'payload.call',
    ]);
    expect(fields.slice(8)).toEqual(['payload', 'options', 'timestamp', 'uuid', 'payload.text']);
    expect(tracker.stats()).toMatchObject({ invalid: 13, accepted: 1 });
  });
});

describe('durable()', () => {
  let emulator: Emulator;

  beforeAll(async () => {
    emulator = await startEmulator({ primaryKey: 'email', apiKey: canary });
  });
  afterAll(() => emulator.close());

  function trackMany(tracker: Tracker, name: string, count: number): void {
    for (let number = 0; number < count; number += 1) tracker.track(name, { number }, ada);
  }

  it.each(['always', 'interval', 'never'] as const)(
    'resolves once all that was tracked before is in the journal, with fsync %s',
    async (fsync) => {
      const tracker = create(nowhere, { fsync, commitIntervalMs: 3_600_000 });
      trackMany(tracker, `durable-${fsync}`, 3_000);
      await tracker.durable();
      expect(tracker.stats().unwritten).toBe(0);
      const files = await readdir(directory, { recursive: true });
      const contents = await Promise.all(
        files
          .filter((name) => name.endsWith('.segment'))
          .map((name) => readFile(join(directory, name), 'latin1')),
      );
      expect(contents.join('').split(`durable-${fsync}`).length - 1).toBe(3_000);
      await tracker.durable();
    },
  );

  it('rejects where the journal is memory, and the events are delivered all the same', async () => {
    const tracker = create(emulator.baseUrl, { journal: 'memory' });
    trackMany(tracker, 'not durable', 10);
    await expect(tracker.durable()).rejects.toMatchObject({
      code: 'SLUICE_STORAGE',
      message: expect.stringContaining('the journal is in memory'),
    });
    expect(await tracker.flush()).toMatchObject({ delivered: 10, dropped: 0 });
  });

  it.each([
    ['create', 'always'],
    ['write', 'interval'],
    ['sync', 'always'],
    ['sync', 'interval'],
  ] as const)(
    'rejects where the disk fails to %s with fsync %s, gives nothing up, and resolves once it works',
    async (operation, fsync) => {
      const fs = new FailingFileSystem();
      const journal = new FileJournal({ directory, fsync, clock: systemClock, fs });
      const tracker = create(nowhere, { journal, batch: { maxWaitMs: 3_600_000, maxEvents: 100_000 } });
      fs.fail(operation, 'EIO', { times: Number.POSITIVE_INFINITY });
      trackMany(tracker, 'disk', 1_000);
      await expect(tracker.durable()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
      expect(tracker.stats()).toMatchObject({ accepted: 1_000, pending: 1_000 });
      expectBalanced(tracker);
      fs.heal();
      await tracker.durable();
      expect(tracker.stats()).toMatchObject({ pending: 1_000, unwritten: 0 });
      expect(await tracker.close({ timeoutMs: 0 })).toMatchObject({ pending: 1_000, dropped: 0 });
      const heir = create(emulator.baseUrl);
      expect(await heir.flush()).toMatchObject({ delivered: 1_000, pending: 0 });
      await heir.close();
    },
  );

  it('may be called before the journal is open, and many times at once', async () => {
    const tracker = create(nowhere);
    trackMany(tracker, 'at once', 100);
    await Promise.all([
      tracker.durable(),
      tracker.durable(),
      tracker.flush({ timeoutMs: 0 }),
      tracker.durable(),
    ]);
    expect(tracker.stats()).toMatchObject({ pending: 100, unwritten: 0 });
  });

  it('resolves at once where nothing was tracked', async () => {
    await create(nowhere).durable();
  });
});

describe('a tracker with bounds of storage', () => {
  let emulator: Emulator;

  beforeAll(async () => {
    emulator = await startEmulator({ primaryKey: 'email', apiKey: canary });
  });
  afterAll(() => emulator.close());

  const MAX_BYTES = 256 * 1024;
  const pad = 'p'.repeat(400);

  /** Bytes of all files in the directory. */
  async function usage(): Promise<number> {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(
      files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  it.each(['drop-oldest', 'drop-newest'] as const)(
    'keeps its directory within maxBytes over restarts, and its books balance: %s',
    async (whenFull) => {
      const storage = { maxBytes: MAX_BYTES, whenFull };
      let next = 0;
      let inherited = 0;
      for (let life = 0; life < 3; life += 1) {
        const tracker = create(nowhere, { storage, buffer: { maxEvents: 1_000 } });
        let raisedCount = 0;
        tracker.on('dropped', ({ reason, count }) => {
          expect(reason).toBe('journal-full');
          raisedCount += count;
        });
        for (let round = 0; round < 8; round += 1) {
          for (let count = 0; count < 100; count += 1)
            tracker.track(`bounded-${whenFull}`, { number: next++, pad }, ada);
          await tracker.durable().catch(() => undefined);
          expect(await usage()).toBeLessThanOrEqual(MAX_BYTES);
          expectBalanced(tracker);
        }
        const { dropped, recovered } = tracker.stats();
        expect(dropped['journal-full']).toBeGreaterThan(0);
        expect(raisedCount).toBe(dropped['journal-full']);
        expect(recovered).toBe(inherited);
        const closing: number[] = [];
        tracker.on('dropped', ({ count }) => closing.push(count));
        inherited = (await tracker.close({ timeoutMs: 0 })).pending;
        expectBalanced(tracker);
      }
      const heir = create(emulator.baseUrl);
      expect(await heir.flush()).toMatchObject({ delivered: inherited, pending: 0 });
      const events = await emulator.events({ name: `bounded-${whenFull}`, limit: 1 });
      expect(events.length).toBeGreaterThan(0);
      expect(await emulator.countEvents({ name: `bounded-${whenFull}` })).toEqual({
        ...{ unique: inherited, received: inherited },
      });
    },
  );

  it('drops what got too old over a restart, and delivers the rest', async () => {
    const HOUR = 60 * 60_000;
    const clock = new SkewedClock(systemClock);
    const options = { clock, storage: { maxAgeMs: 24 * HOUR } };
    for (const [name, atHour] of [
      ['too old', 0],
      ['young enough', 10],
    ] as const) {
      clock.skewMs = atHour * HOUR;
      const tracker = create(nowhere, options);
      for (let number = 0; number < 50; number += 1) tracker.track(name, { number }, ada);
      await tracker.close({ timeoutMs: 0 });
    }
    clock.skewMs = 30 * HOUR;
    const heir = create(emulator.baseUrl, options);
    await heir.flush();
    expect(heir.stats()).toMatchObject({
      ...{ recovered: 100, delivered: 50, pending: 0, dropped: { expired: 50 } },
    });
    expectBalanced(heir);
    expect(await emulator.countEvents({ name: 'too old' })).toEqual({ unique: 0, received: 0 });
    expect(await emulator.countEvents({ name: 'young enough' })).toEqual({ unique: 50, received: 50 });
  });

  it('never finds again what it dropped as too old', async () => {
    const clock = new SkewedClock(systemClock);
    const options = { clock, storage: { maxAgeMs: 3_600_000 } };
    const tracker = create(nowhere, options);
    for (let number = 0; number < 50; number += 1) tracker.track('never again', { number }, ada);
    await tracker.durable();
    clock.skewMs = 7_200_000;
    await tracker.flush({ timeoutMs: 0 });
    await expect.poll(() => tracker.stats().dropped.expired).toBe(50);
    expectBalanced(tracker);
    await tracker.close({ timeoutMs: 0 });
    const heir = create(nowhere);
    await heir.flush({ timeoutMs: 0 });
    expect(heir.stats().recovered).toBe(0);
  });
});

describe('a tracker with a service that refuses', () => {
  /** A server that answers each batch as `answer` says. */
  async function serve(answer: (texts: string, headers: Record<string, unknown>) => number) {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        bodies.push(body);
        response.statusCode = answer(body, request.headers);
        response.end(`{"why":"as told","you sent":"${request.headers.authorization}"}`);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, close };
  }

  it('finds the one bad event of a batch, keeps it as a dead letter, and delivers the others', async () => {
    const service = await serve((body) => (body.includes('poison') ? 400 : 200));
    const tracker = create(service.baseUrl);
    const deadLettered = raised(tracker, 'deadLettered');
    for (let number = 0; number < 500; number += 1) {
      tracker.track('mixed', { number, taste: number === 321 ? 'poison' : 'good' }, ada);
    }
    expect(await tracker.flush()).toEqual({ delivered: 499, deadLettered: 1, dropped: 0, pending: 0 });
    expect(await deadLettered).toMatchObject({ status: 400, excerpt: expect.stringContaining('as told') });
    expect(service.bodies.length).toBeLessThan(30);
    expectBalanced(tracker);
    await tracker.close();
    const files = await readdir(join(directory, 'dead-letters'), { recursive: true });
    const path = files.find((name) => name.endsWith('.segment')) ?? '';
    const letters = await readFile(join(directory, 'dead-letters', path), 'utf8');
    expect(letters).toContain('"number":321');
    await service.close();
  });

  it.each([
    [401, 1],
    [302, 1],
    // One event may be at fault: three others are tried.
    [403, 4],
    [404, 4],
  ])('keeps everything and stops asking after %i: %i requests', async (status, requests) => {
    const service = await serve(() => status);
    const tracker = create(service.baseUrl);
    const paused = raised(tracker, 'paused');
    for (let number = 0; number < 100; number += 1) tracker.track('kept', { number }, ada);
    const enough = new AbortController();
    const flushed = tracker.flush({ signal: enough.signal });
    expect(await paused).toMatchObject({ status });
    enough.abort();
    expect(await flushed).toMatchObject({ delivered: 0, deadLettered: 0, pending: 100 });
    expect(service.bodies.length).toBe(requests);
    await service.close();
  });

  it('shows its key nowhere: not in errors, logs, inspection, JSON or files', async () => {
    const service = await serve((body) =>
      body.includes('poison') ? 400 : body.includes('fine') ? 500 : 200,
    );
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    const tracker = create(service.baseUrl, { logger, delivery: { retryBaseMs: 1, retryMaxMs: 2 } });
    const seen: unknown[] = [];
    for (const name of [
      'requestFailed',
      'deadLettered',
      'invalid',
      'dropped',
      'storageFailed',
      'breaker',
    ] as const) {
      tracker.on(name, (detail) => seen.push(detail));
    }
    for (const name of ['good', 'poison', 'good']) tracker.track(name, {}, ada);
    await tracker.flush();
    const failed = raised(tracker, 'requestFailed');
    tracker.track('fine', {}, ada);
    tracker.track('', {}, ada);
    await failed;
    await tracker.close({ timeoutMs: 0 });
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    const shown = [
      inspect(seen, { depth: 9, showHidden: true }),
      JSON.stringify(seen),
      ...lines,
      ...contents,
    ];
    shown.push(
      inspect(tracker, { depth: 9, showHidden: true }),
      JSON.stringify(tracker),
      JSON.stringify(tracker.stats()),
    );
    expect(lines.length).toBeGreaterThan(2);
    expect(contents.length).toBeGreaterThan(0);
    expect(shown.filter((text) => text.includes(canary))).toEqual([]);
    await service.close();
  });

  it('shows its key in no cause of a failure, where the answer is not HTTP and quotes the request', async () => {
    const server = createTcpServer((socket) => {
      socket.on('data', (request) => socket.end(request));
      socket.on('error', () => {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const tracker = create(`http://127.0.0.1:${port}`);
    const failed = raised(tracker, 'requestFailed');
    tracker.track('echoed', {}, ada);
    await tracker.flush({ timeoutMs: 200 });
    const { error } = await failed;
    expect(error.cause).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(canary);
    await tracker.close({ timeoutMs: 0 });
    server.close();
  });
});

describe('a tracker with strict order', () => {
  it('sends what an earlier life left before what is tracked while its journal opens', async () => {
    const first = create('http://127.0.0.1:9', { ordering: 'strict' });
    for (let number = 0; number < 50; number += 1) first.track('in order', { number }, ada);
    await first.close({ timeoutMs: 0 });

    const numbers: number[] = [];
    const transport: Transport = {
      async post({ body }) {
        const { batch } = JSON.parse(new TextDecoder().decode(body));
        for (const { payload } of batch) numbers.push(payload.number);
        return { kind: 'answered', status: 200, retryAfter: undefined, body: '' };
      },
      close: async () => {},
    };
    const second = create('http://127.0.0.1:9', { ordering: 'strict', transport });
    for (let number = 50; number < 70; number += 1) second.track('in order', { number }, ada);
    second.track('in order', { number: 70 }, { ...ada, priority: 'high' });
    expect(await second.flush()).toMatchObject({ delivered: 71, pending: 0 });
    expect(numbers).toEqual(Array.from({ length: 71 }, (_, number) => number));
  });
});
