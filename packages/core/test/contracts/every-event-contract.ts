import fc from 'fast-check';
import { expect } from 'vitest';
import type { Outcome } from '../../src/send/http/transport.ts';
import { Bench, range, sorted, textsOf } from '../bench/bench.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { SegmentedJournal } from '../bench/segmented-journal.ts';

const MINUTE = 60_000;
/** At the end, what is late arrives within minutes: no need to check each second of them. */
const LAST_STEP_MS = 10_000;
/** Numbers of events of an earlier process: from here on. */
const OLD = 10_000;
const LARGE = { bytes: 2_000 };
const high = { priority: 'high' } as const;

const small = fc.integer({ min: 1, max: 6 });
const settings = fc.record({
  maxEvents: small,
  buffer: fc.integer({ min: 2, max: 12 }).map((maxEvents) => ({ maxEvents })),
  delivery: fc.integer({ min: 1, max: 3 }).map((maxConcurrency) => ({ maxConcurrency, retryMaxMs: 10_000 })),
});

/** A service that works, fails, or lets requests wait. */
class Service {
  #state: 'works' | 'fails' | 'waits' = 'works';
  #waiting: (() => void)[] = [];

  constructor(bench: Bench) {
    bench.answer(() => this.#answer());
  }

  become(state: 'works' | 'fails' | 'waits'): void {
    this.#state = state;
    if (state !== 'waits') for (const wake of this.#waiting.splice(0)) wake();
  }

  async #answer(): Promise<Outcome> {
    while (this.#state === 'waits') await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return this.#state === 'works' ? answered(200) : failed(false);
  }
}

/** Checks what the tracker says of itself, at any moment. */
function checkPlaces(bench: Bench): void {
  bench.check();
  const { pending, stored, inFlight, unwritten } = bench.tracker.stats();
  expect(stored + inFlight).toBeLessThanOrEqual(pending);
  expect(unwritten).toBeLessThanOrEqual(pending);
}

/** Checks that each event was delivered or dropped, and none of them twice. */
function checkEnds(bench: Bench): void {
  const { accepted, recovered, dropped } = bench.tracker.stats();
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(new Set(bench.taken).size).toBe(bench.taken.length);
  expect(bench.taken.length + lost).toBe(accepted + recovered);
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, unwritten: 0, stored: 0, inFlight: 0 });
  expect(bench.tracker.stats()).toMatchObject({ memoryBytes: 0, oldestAgeMs: undefined });
}

/** Each event is delivered once, whatever the journal and the service do. */
export async function checkDelivery(numRuns: number): Promise<void> {
  const kind = fc.constantFrom(
    ...(['track', 'track', 'track', 'track high', 'leave', 'pass', 'pass', 'pass', 'wait', 'flush'] as const),
    ...(['hang writes', 'write', 'fail writes', 'fail reads', 'read'] as const),
    ...(['works', 'works', 'fails', 'waits'] as const),
  );
  const steps = fc.array(fc.record({ kind, amount: small }), { maxLength: 60 });
  const property = fc.asyncProperty(settings, steps, async (settings, steps) => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, ...settings });
    const service = new Service(bench);
    await bench.quiet();
    let left = OLD;
    const leave = async (count: number): Promise<void> => {
      await journal.leave(textsOf(range(left, left + count)));
      left += count;
    };
    const releases: (() => void)[] = [];
    const heal = (): void => {
      journal.failAppends = false;
      for (const release of releases.splice(0)) release();
    };
    for (const { kind, amount } of steps) {
      if (kind === 'track') bench.trackNow(amount);
      else if (kind === 'track high') bench.trackNow(amount, high);
      else if (kind === 'leave') await leave(amount);
      else if (kind === 'pass') await bench.clock.advance(amount);
      else if (kind === 'wait') await bench.pass(amount * 1_000, 100);
      else if (kind === 'flush') void bench.tracker.flush({ timeoutMs: amount * 100 });
      else if (kind === 'hang writes') releases.push(journal.hangAppends());
      else if (kind === 'write') heal();
      else if (kind === 'fail writes') journal.failAppends = true;
      else if (kind === 'fail reads' || kind === 'read') journal.failReads = kind === 'fail reads';
      else service.become(kind);
      checkPlaces(bench);
    }
    heal();
    journal.failReads = false;
    service.become('works');
    await bench.pass(5 * MINUTE, LAST_STEP_MS);
    checkEnds(bench);
    expect(sorted(bench.taken.filter((number) => number >= OLD))).toEqual(range(OLD, left));
    expect(bench.drops.every(({ reason }) => reason === 'buffer-full')).toBe(true);
    expect(journal.bytes).toBe(0);
  });
  await fc.assert(property, { numRuns });
}

/** Each event is delivered or dropped once, whatever a journal that is too small gives up. */
export async function checkSmallJournal(numRuns: number): Promise<void> {
  const kind = fc.constantFrom(
    ...(['track', 'track', 'track', 'track', 'track high', 'pass', 'pass', 'pass', 'wait', 'flush'] as const),
    ...(['fail writes', 'write', 'works', 'fails', 'waits'] as const),
  );
  const steps = fc.array(fc.record({ kind, amount: small }), { maxLength: 80 });
  const whenFull = fc.constantFrom('drop-oldest' as const, 'drop-newest' as const);
  const property = fc.asyncProperty(settings, whenFull, steps, async (settings, whenFull, steps) => {
    const journal = new SegmentedJournal();
    const storage = { maxBytes: 64 * 1024, minFreeBytes: 0, whenFull };
    const bench = new Bench({ journal, storage, ...settings });
    const service = new Service(bench);
    for (const { kind, amount } of steps) {
      if (kind === 'track') bench.trackNow(amount, LARGE);
      else if (kind === 'track high') bench.trackNow(amount, { ...LARGE, ...high });
      else if (kind === 'pass') await bench.clock.advance(amount);
      else if (kind === 'wait') await bench.pass(amount * 1_000, 100);
      else if (kind === 'flush') void bench.tracker.flush({ timeoutMs: amount * 100 });
      else if (kind === 'fail writes' || kind === 'write') journal.failAppends = kind === 'fail writes';
      else service.become(kind);
      checkPlaces(bench);
      expect(journal.bytes).toBeLessThanOrEqual(storage.maxBytes);
    }
    journal.failAppends = false;
    service.become('works');
    await bench.pass(5 * MINUTE, LAST_STEP_MS);
    checkEnds(bench);
  });
  await fc.assert(property, { numRuns });
}
