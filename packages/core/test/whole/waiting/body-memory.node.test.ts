import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions, range } from '../../bench/bench.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const MIB = 1024 * 1024;

/** Each event is sent alone, by a transport that does not read a body any more once the request is answered. */
function createBench({
  releasesBody = true,
  ...options
}: BenchOptions & { releasesBody?: boolean } = {}): Bench {
  const bench: Bench = new Bench({
    maxEvents: 1,
    transport: {
      releasesBody,
      post: (request) => bench.transport.post(request),
      close: async () => {},
    },
    ...options,
  });
  return bench;
}

/** The service answers no request until the returned function is called. */
function holdAnswers(bench: Bench): () => Promise<void> {
  const waiting: ((outcome: Outcome) => void)[] = [];
  bench.answer(() => new Promise((resolve) => waiting.push(resolve)));
  return async () => {
    for (const resolve of waiting.splice(0)) resolve(answered(200));
    await bench.quiet();
  };
}

/** The memory of each body, in the order of the requests. */
function memoryOf({ transport }: Bench): ArrayBufferLike[] {
  return transport.requests.map(({ body }) => body.buffer);
}

describe('the memory of a body that the service took', () => {
  it('holds the next body', async () => {
    const bench = createBench();
    await bench.track(3);
    expect(bench.taken).toEqual([0, 1, 2]);
    expect(new Set(memoryOf(bench)).size).toBe(1);
  });

  it('holds bodies that differ in size, if they fit', async () => {
    const bench = createBench();
    bench.trackNow(1, { bytes: 200_000 });
    bench.trackNow(1);
    bench.trackNow(1, { bytes: 201_000 });
    await bench.pass(1);
    expect(bench.taken).toEqual([0, 1, 2]);
    expect(new Set(memoryOf(bench)).size).toBe(1);
  });

  it('does not hold a body that does not fit', async () => {
    const bench = createBench();
    bench.trackNow(1);
    bench.trackNow(1, { bytes: 200_000 });
    await bench.pass(1);
    expect(bench.taken).toEqual([0, 1]);
    expect(new Set(memoryOf(bench)).size).toBe(2);
  });

  it('does not hold the next body if the transport may still read it', async () => {
    const bench = createBench({ releasesBody: false });
    await bench.track(3);
    expect(new Set(memoryOf(bench)).size).toBe(3);
  });

  it('does not hold the next body if a request with it got no answer', async () => {
    const bench = createBench();
    bench.answer(() => (bench.requests === 1 ? failed(true) : answered(200)));
    await bench.track(1);
    await bench.pass(1_000);
    await bench.track(1);
    const [first, again, next] = memoryOf(bench);
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  it('is never shared by requests that are pending together', async () => {
    const bench = createBench({ delivery: { concurrency: 3 } });
    const answer = holdAnswers(bench);
    for (let round = 0; round < 3; round += 1) {
      await bench.track(3);
      const pending = memoryOf(bench).slice(-3);
      expect(new Set(pending).size).toBe(3);
      await answer();
    }
    expect(bench.taken).toEqual(range(0, 9));
  });

  it('is kept for a few bodies only', async () => {
    const bench = createBench({ delivery: { concurrency: 10 } });
    const answer = holdAnswers(bench);
    await bench.track(10);
    await answer();
    await bench.track(10);
    const first = new Set(memoryOf(bench).slice(0, 10));
    const reused = memoryOf(bench).filter((memory, index) => index >= 10 && first.has(memory));
    expect(reused).toHaveLength(6);
  });

  it('is not kept if it is very large', async () => {
    const bench = createBench({ maxEvents: 5, batch: { maxBytes: 2 * MIB } });
    for (let round = 0; round < 2; round += 1) {
      bench.trackNow(5, { bytes: 250_000 });
      await bench.pass(1);
    }
    const [first, second] = memoryOf(bench);
    expect(first?.byteLength).toBeGreaterThan(MIB);
    // Not `not.toBe`, which first compares such pieces byte by byte.
    expect(first === second).toBe(false);
  });
});
