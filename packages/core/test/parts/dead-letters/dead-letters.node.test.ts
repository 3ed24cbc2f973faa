import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmulator } from '@sluice/emulator';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type TestOptions } from '../../../src/entries/testing/testing.ts';
import type { DeadLetter, Tracker } from '../../../src/index.ts';
import { FileJournal } from '../../../src/keep/file/file-journal.ts';
import { FailingFileSystem } from '../../bench/failing-file-system.ts';
import { SkewedClock } from '../../bench/skewed-clock.ts';
import { describeDeadLetters } from '../../contracts/dead-letters-contract.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

describeDeadLetters('files', {
  create: (place, clock, maxBytes) =>
    new FileJournal({ directory: join(scratch, place), fsync: 'interval', clock, maxBytes }),
  survives: true,
});

const key = 'canary-7f3a91-key';
const ada = { correlationValue: 'ada@example.com' };
/** A port on which nobody listens. */
const nowhere = 'http://127.0.0.1:9';

/** The emulator. It refuses events that match a pattern until it is mended. */
async function startService() {
  const emulator = await startEmulator({ primaryKey: 'email', apiKey: key });
  let fault = emulator.fail({ kind: 'poison', pattern: 'poison' });
  return {
    emulator,
    refuse(pattern: string) {
      fault.stop();
      fault = emulator.fail({ kind: 'poison', pattern });
    },
    mend() {
      fault.stop();
    },
  };
}

describe('the dead letters of a tracker', () => {
  let service: Awaited<ReturnType<typeof startService>>;
  let directory = '';
  const trackers: Tracker[] = [];
  /** The differences in the stats, at each emitted event and at the end. */
  const imbalances: number[] = [];

  beforeEach(async () => {
    service = await startService();
    directory = await mkdtemp(join(scratch, 'journal-'));
  });

  afterEach(async () => {
    for (const tracker of trackers.splice(0)) {
      await tracker.close({ timeoutMs: 0 });
      imbalances.push(imbalanceOf(tracker));
    }
    await service.emulator.close();
    expect(imbalances.splice(0).filter((imbalance) => imbalance !== 0)).toEqual([]);
  });

  function create(options: Partial<TestOptions> = {}): Tracker {
    const tracker = createTracker({
      baseUrl: service.emulator.baseUrl,
      apiKey: key,
      correlationKey: 'email',
      // An event at fault is found after several tries.
      delivery: { retryBaseMs: 10 },
      ...(options.journal === undefined && { journalDirectory: directory }),
      ...options,
    });
    trackers.push(tracker);
    for (const name of ['delivered', 'deadLettered', 'dropped', 'recovered', 'replayed'] as const) {
      // Recorded, not thrown: the tracker catches what a listener throws.
      tracker.on(name, () => imbalances.push(imbalanceOf(tracker)));
    }
    return tracker;
  }

  function imbalanceOf(tracker: Tracker): number {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return accepted + recovered - delivered - deadLettered - lost - pending;
  }

  /** Tracks 50 events. The service refuses every tenth. */
  async function refuseFive(tracker: Tracker, pad = ''): Promise<void> {
    for (let number = 0; number < 50; number += 1) {
      tracker.track('mixed', { number, taste: number % 10 === 7 ? 'poison' : 'good', pad }, ada);
    }
    await tracker.flush();
  }

  async function list(tracker: Tracker): Promise<DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for await (const letter of tracker.deadLetters.list()) letters.push(letter);
    return letters;
  }

  function numberOf({ event }: DeadLetter): number {
    return (event.payload as { number: number }).number;
  }

  async function files(suffix: string): Promise<string[]> {
    const root = join(directory, 'dead-letters');
    const names = await readdir(root, { recursive: true });
    return names.filter((name) => name.endsWith(suffix)).map((name) => join(root, name));
  }

  it('are listed with their reason, and delivered once when they are replayed to a service that is mended', async () => {
    const tracker = create();
    await refuseFive(tracker);
    expect(tracker.stats()).toMatchObject({ delivered: 45, deadLettered: 5, deadLetters: { kept: 5 } });
    const letters = await list(tracker);
    expect(letters.map(numberOf).toSorted((one, other) => one - other)).toEqual([7, 17, 27, 37, 47]);
    expect(letters[0]).toMatchObject({
      ...{ status: 422, excerpt: expect.stringContaining('/poison/') },
      event: { event: 'mixed', ...ada, payload: { taste: 'poison' } },
    });

    service.mend();
    const replayed: number[] = [];
    tracker.on('replayed', ({ count }) => replayed.push(count));
    expect(await tracker.deadLetters.replay()).toBe(5);
    await tracker.flush();
    expect(replayed).toEqual([5]);
    expect(tracker.stats()).toMatchObject({
      ...{ accepted: 50, recovered: 5, delivered: 50, deadLettered: 5, pending: 0 },
      deadLetters: { kept: 0, bytes: 0 },
    });
    expect(await service.emulator.countEvents({ name: 'mixed' })).toEqual({ unique: 50, received: 50 });
    const uuids = (await service.emulator.events({ name: 'mixed' })).map(({ uuid }) => uuid);
    expect(uuids).toEqual(expect.arrayContaining(letters.map(({ event }) => event.uuid)));
  });

  it('are found by the next tracker, by the same ids, before it has any of its own', async () => {
    const first = create();
    await refuseFive(first);
    const ids = (await list(first)).map(({ id }) => id);
    await first.close();

    service.mend();
    const second = create();
    expect(await second.deadLetters.replay(ids.slice(0, 2))).toBe(2);
    expect(await second.deadLetters.purge(({ event }) => event.uuid === undefined)).toBe(0);
    expect(await second.deadLetters.purge([ids[2] ?? ''])).toBe(1);
    expect((await list(second)).map(({ id }) => id)).toEqual(ids.slice(3));
    await second.flush();
    expect(second.stats()).toMatchObject({ accepted: 0, recovered: 2, delivered: 2 });
    await second.close();
    const third = create();
    expect(await third.deadLetters.count()).toBe(2);
    expect(await third.deadLetters.purge()).toBe(2);
    await third.close();
    expect(await files('')).toEqual([]);
  });

  it('leave no folder where one only looks and there are none', async () => {
    const tracker = create();
    expect(await tracker.deadLetters.count()).toBe(0);
    expect(await list(tracker)).toEqual([]);
    expect([await tracker.deadLetters.replay(), await tracker.deadLetters.purge()]).toEqual([0, 0]);
    await tracker.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('are dead letters again where they are refused again', async () => {
    const tracker = create();
    await refuseFive(tracker);
    const before = (await list(tracker)).find((letter) => numberOf(letter) === 17);
    service.refuse('"number":17,');
    expect(await tracker.deadLetters.replay()).toBe(5);
    await tracker.flush();
    const [letter, ...others] = await list(tracker);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ event: before?.event, excerpt: expect.stringContaining('17') });
    expect(letter?.id).not.toBe(before?.id);
    expect(tracker.stats()).toMatchObject({ recovered: 5, delivered: 49, deadLettered: 6 });
  });

  it('stay where the journal fails, and are sent once it works', async () => {
    const fs = new FailingFileSystem();
    const journal = new FileJournal({ directory, fsync: 'interval', clock: systemClock, fs });
    const tracker = create({ journal });
    await refuseFive(tracker);
    service.mend();
    for (const operation of ['write', 'sync'] as const) {
      fs.fail(operation, 'EIO', { times: Number.POSITIVE_INFINITY });
      await expect(tracker.deadLetters.replay()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
      expect(await tracker.deadLetters.count()).toBe(5);
      fs.heal();
    }
    expect(await tracker.deadLetters.replay()).toBe(5);
    await tracker.flush();
    expect(tracker.stats()).toMatchObject({ recovered: 5, delivered: 50, pending: 0, journal: 'file' });
    expect(await service.emulator.countEvents()).toEqual({ unique: 50, received: 50 });
  });

  it('stay where the journal is full', async () => {
    const first = create();
    await refuseFive(first, 'p'.repeat(4_000));
    await first.close();
    const storage = { maxBytes: 64 * 1024, whenFull: 'drop-newest' } as const;
    const tracker = create({ baseUrl: nowhere, storage });
    for (let number = 0; number < 30; number += 1) tracker.track('full', { pad: 'p'.repeat(2_100) }, ada);
    await tracker.durable().catch(() => undefined);
    await expect(tracker.deadLetters.replay()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    const { recovered } = tracker.stats();
    expect(recovered + (await tracker.deadLetters.count())).toBe(5);
  });

  it('are lost by no process that is killed while it replays them', async () => {
    const first = create();
    await refuseFive(first);
    await first.close();
    const script = fileURLToPath(new URL('../../children/replaying-process.mjs', import.meta.url));
    const child = fork(script, [JSON.stringify({ baseUrl: nowhere, directory })], { execArgv: [] });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');

    service.mend();
    const heir = create();
    // Sent once from the journal, and again with the same uuids from the dead letters, which were not removed.
    expect(await heir.flush()).toMatchObject({ delivered: 5, pending: 0 });
    expect(await heir.deadLetters.replay()).toBe(5);
    await heir.flush();
    expect(heir.stats()).toMatchObject({ recovered: 10, delivered: 10, pending: 0 });
    expect(await service.emulator.countEvents()).toEqual({ unique: 50, received: 55 });
  });

  it('are skipped and said to be damaged where their bytes are', async () => {
    const first = create();
    await refuseFive(first);
    await first.close();
    const [path = ''] = await files('.segment');
    const bytes = await readFile(path);
    bytes.write('#', bytes.indexOf('"number":37'));
    await writeFile(path, bytes);
    const tracker = create();
    const places: string[] = [];
    tracker.on('damaged', ({ place }) => places.push(place));
    expect(await list(tracker)).toHaveLength(4);
    expect(places).toEqual([expect.stringContaining('dead-letters')]);
    expect(await tracker.deadLetters.count()).toBe(4);
    expect(await tracker.deadLetters.purge()).toBe(4);
    await tracker.close();
    expect(await readdir(join(directory, 'damaged'))).toEqual([expect.stringMatching(/\.damaged$/)]);
  });

  it('stay within their bound of bytes on the disk', async () => {
    const tracker = create({ deadLetters: { maxBytes: 64 * 1024 } });
    const gone: number[] = [];
    tracker.on('deadLettersDropped', ({ reason, count }) => {
      expect(reason).toBe('full');
      gone.push(count);
    });
    for (let round = 0; round < 3; round += 1) {
      await refuseFive(tracker, 'p'.repeat(10_000));
      const sizes = await Promise.all((await files('')).map(async (path) => (await stat(path)).size));
      const segments = (await files('.segment')).length;
      expect(segments).toBeGreaterThan(0);
      expect(tracker.deadLetters.bytes).toBeLessThanOrEqual(64 * 1024);
      expect(sizes.length).toBeGreaterThan(segments);
    }
    const kept = await tracker.deadLetters.count();
    expect(kept + gone.reduce((sum, count) => sum + count, 0)).toBe(15);
    expect(kept).toBeGreaterThan(2);
  });

  it('are gone after thirty days, and that is said', async () => {
    const first = create();
    await refuseFive(first);
    await first.close();
    const clock = new SkewedClock(systemClock);
    for (const [days, kept] of [
      [29, 5],
      [-365, 5],
      [31, 0],
    ] as const) {
      clock.skewMs = days * 24 * 3_600_000;
      const tracker = create({ clock });
      const gone: unknown[] = [];
      tracker.on('deadLettersDropped', (detail) => gone.push(detail));
      expect(await tracker.deadLetters.count()).toBe(kept);
      expect(gone).toEqual(kept === 0 ? [{ reason: 'expired', count: 5 }] : []);
      await tracker.close();
    }
  });

  it('of a process that lives are not seen by another, and are once it is gone', async () => {
    const first = create();
    await refuseFive(first);
    const second = create();
    expect(await second.deadLetters.count()).toBe(0);
    await second.close();
    await first.close();
    expect(await create().deadLetters.count()).toBe(5);
  });

  it('are kept in memory where events are', async () => {
    const tracker = create({ journal: 'memory' });
    await refuseFive(tracker);
    service.mend();
    expect(await tracker.deadLetters.replay(({ status }) => status === 422)).toBe(5);
    await tracker.flush();
    expect(tracker.stats()).toMatchObject({ delivered: 50, pending: 0 });
    expect(await readdir(directory)).toEqual([]);
  });

  it('are not to be had from a tracker that is closed', async () => {
    const tracker = create();
    await refuseFive(tracker);
    await tracker.close();
    const closed = { code: 'SLUICE_CLOSED' };
    await expect(tracker.deadLetters.count()).rejects.toMatchObject(closed);
    await expect(list(tracker)).rejects.toMatchObject(closed);
    await expect(tracker.deadLetters.replay()).rejects.toMatchObject(closed);
    await expect(tracker.deadLetters.purge()).rejects.toMatchObject(closed);
  });
});
