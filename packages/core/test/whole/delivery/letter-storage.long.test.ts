import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerOptions } from '../../../src/index.ts';
import { numberOf, numbersOf, range } from '../../bench/bench.ts';
import { answered, ScriptedTransport } from '../../bench/scripted-transport.ts';

const MINUTE = 60_000;

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

let directory = '';
const benches: Bench[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(scratch, 'journal-'));
});

afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

/** A tracker with files, a function as its service, and a clock that stands still. */
class Bench {
  readonly clock = new VirtualClock();
  readonly transport = new ScriptedTransport(this.clock);
  readonly tracker: Tracker;
  failures = 0;

  constructor(options: Partial<TrackerOptions> = {}) {
    const { clock, transport } = this;
    this.tracker = createTracker({
      ...{ baseUrl: 'http://service.example', apiKey: 'key', correlationKey: 'email', clock, transport },
      ...{ journalDirectory: directory, random: () => 0.5, commitIntervalMs: 0 },
      ...{ batch: { maxEvents: 50, maxWaitMs: 0 }, ...options },
    });
    this.tracker.on('storageFailed', () => {
      this.failures += 1;
    });
    benches.push(this);
  }

  track(numbers: readonly number[]): void {
    for (const n of numbers) this.tracker.track('event', { n }, { correlationValue: 'ada@example.com' });
  }

  /** The service refuses requests with bad events. */
  refuse(isBad: (n: number) => boolean): void {
    this.transport.respond = (request) => answered(numbersOf(request).some(isBad) ? 400 : 200);
  }

  /** Lets a minute pass, in which the tracker tries its storage in vain. */
  async failAgain(): Promise<void> {
    const { failures } = this;
    await this.clock.advance(MINUTE);
    await expect.poll(() => this.failures).toBeGreaterThan(failures);
  }

  /** Lets the disk work until the tracker has these counts. While it waits, time passes in these steps. */
  async until(counts: object, stepMs = 50): Promise<void> {
    const stats = async () => {
      await this.clock.advance(stepMs);
      return { ...this.tracker.stats(), failures: this.failures };
    };
    await expect.poll(stats, { interval: 1 }).toMatchObject(counts);
  }

  async kept(): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { event } of this.tracker.deadLetters.list()) numbers.push(numberOf(event));
    return numbers;
  }

  async close(): Promise<void> {
    const closed = this.tracker.close({ timeoutMs: 0 });
    await this.clock.advance(0);
    await closed;
  }
}

/** No dead letter can be stored until the returned function is called. */
async function breakLetters(): Promise<() => Promise<void>> {
  const path = join(directory, 'dead-letters');
  await writeFile(path, '');
  return () => rm(path);
}

describe('dead letters that cannot be stored', () => {
  it('are stored once storage works, and other events are delivered meanwhile', async () => {
    const mend = await breakLetters();
    const bench = new Bench();
    bench.refuse((n) => n % 50 === 7);
    for (let round = 1; round <= 10; round += 1) {
      bench.track(range(50 * (round - 1), 50 * round));
      const failures = expect.toSatisfy((count: number) => count >= round);
      await bench.until({ delivered: 49 * round, pending: round, failures });
    }
    expect(bench.tracker.stats()).toMatchObject({ deadLettered: 0, breaker: 'closed' });
    const { length } = bench.transport.requests;
    for (let minute = 1; minute <= 10; minute += 1) await bench.failAgain();
    // The storage is asked again, not the service.
    expect(bench.transport.requests).toHaveLength(length);
    await mend();
    await bench.clock.advance(MINUTE);
    await bench.until({ deadLettered: 10, delivered: 490, pending: 0 });
    const kept = await bench.kept();
    expect(kept.sort((one, other) => one - other)).toEqual(range(0, 10).map((round) => 50 * round + 7));
  });

  it('are stored once storage works, where an answer of success names their events', async () => {
    const mend = await breakLetters();
    const bench = new Bench({
      delivery: { classify: ({ count }) => (count === 1 ? [{ index: 0 }] : [{ index: 2 }]) },
    });
    bench.track([0, 1, 2]);
    await bench.until({ delivered: 2, pending: 1, failures: 1 });
    for (let minute = 1; minute <= 10; minute += 1) await bench.failAgain();
    expect(bench.transport.requests.length).toBeLessThanOrEqual(12);
    expect(bench.tracker.stats()).toMatchObject({ deadLettered: 0, breaker: 'closed' });
    await mend();
    await bench.clock.advance(MINUTE);
    await bench.until({ deadLettered: 1, delivered: 2, pending: 0 });
    expect(await bench.kept()).toEqual([2]);
  });

  it('are stored by the next process, which finds their events in the journal', async () => {
    const mend = await breakLetters();
    const first = new Bench();
    first.refuse((n) => n === 1);
    first.track([0, 1, 2]);
    await first.until({ delivered: 2, pending: 1, failures: 1 });
    await first.close();
    await mend();
    const second = new Bench();
    second.refuse((n) => n === 1);
    await second.until({
      recovered: 1,
      pending: 1,
      breaker: 'closed',
      requests: expect.objectContaining({ failed: 1 }),
    });
    // Something else that is accepted shows that the event is at fault.
    second.track([3]);
    await second.until({ recovered: 1, deadLettered: 1, pending: 0 });
    expect(await second.kept()).toEqual([1]);
  });

  it('are written to the journal as events, if it could not take them before', async () => {
    const obstacle = join(directory, 'a-file');
    await writeFile(obstacle, '');
    const bench = new Bench({ journalDirectory: join(obstacle, 'journal') });
    bench.refuse((n) => n === 1);
    bench.track([0, 1, 2]);
    await bench.until({ delivered: 2, pending: 1, unwritten: 1 });
    await rm(obstacle);
    // The journal is tried again within a second, the dead letter after a minute.
    await bench.until({ deadLettered: 0, pending: 1, unwritten: 0, journal: 'file' }, 100);
    await bench.clock.advance(MINUTE);
    await bench.until({ deadLettered: 1, pending: 0 });
    expect(await bench.kept()).toEqual([1]);
  });
});
