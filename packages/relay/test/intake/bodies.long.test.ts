import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BodySource } from '../../src/exchange.ts';
import { Bodies } from '../../src/intake/bodies.ts';

const MIB = 1024 * 1024;

/** A body whose chunks the test sends. */
function sender() {
  const sent = { chunk: (_: Uint8Array) => {}, end: (_?: unknown) => {}, isStopped: false };
  const source: BodySource = {
    read(onChunk, onEnd) {
      sent.chunk = onChunk;
      sent.end = onEnd;
    },
    stop: () => {
      sent.isStopped = true;
    },
  };
  return { source, sent };
}

/** Begins to read bodies, and returns what sends them. Refusals are expected. */
function begin(bodies: Bodies, count: number) {
  return Array.from({ length: count }, () => {
    const { source, sent } = sender();
    bodies.with(source, false, async () => undefined).catch(() => undefined);
    return sent;
  });
}

describe('the memory of all bodies', () => {
  it('stays bounded while many bodies of a byte are older than those that grow', () => {
    const bodies = new Bodies({ maxBodyBytes: MIB, maxPendingBytes: MIB });
    for (const { chunk } of begin(bodies, 500)) chunk(new Uint8Array(1));
    const large = begin(bodies, 50);
    for (let turn = 0; turn < 10; turn += 1)
      for (const { chunk } of large) {
        chunk(new Uint8Array(64 * 1024));
        expect(bodies.bytes).toBeLessThanOrEqual(MIB);
      }
  });

  it('is taken from no more of the older bodies than it must be', () => {
    const bodies = new Bodies({ maxBodyBytes: MIB, maxPendingBytes: 2 * MIB });
    const old = begin(bodies, 100);
    for (const { chunk } of old) chunk(new Uint8Array(16 * 1024));
    const [large] = begin(bodies, 1);
    // Many chunks of one turn of the event loop.
    for (let count = 0; count < 500; count += 1) large?.chunk(new Uint8Array(1024));
    expect(old.filter(({ isStopped }) => isStopped).length).toBeLessThan(40);
  });

  it('is little more than its bytes for a body that comes in chunks of one byte', async () => {
    const bodies = new Bodies({ maxBodyBytes: MIB, maxPendingBytes: 64 * MIB });
    const { source, sent } = sender();
    const read = bodies.with(source, false, async (body) => body);
    const before = process.memoryUsage();
    for (let count = 0; count < 300_000; count += 1) sent.chunk(Uint8Array.of(count % 251));
    const after = process.memoryUsage();
    const grownBy = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(bodies.bytes).toBeLessThan(MIB);
    expect(grownBy).toBeLessThan(20 * MIB);
    sent.end();
    const body = await read;
    expect(body.length).toBe(300_000);
    expect(body.every((byte, at) => byte === at % 251)).toBe(true);
    expect(bodies.bytes).toBe(0);
  });

  it('stays bounded while small gzip bodies arrive that are large when they are inflated', async () => {
    const bodies = new Bodies({ maxBodyBytes: MIB, maxPendingBytes: 16 * MIB });
    const bomb = gzipSync(Buffer.alloc(MIB, ' '));
    const source = (): BodySource => ({
      read(onChunk, onEnd) {
        onChunk(bomb);
        onEnd();
      },
      stop() {},
    });
    const before = process.memoryUsage().external;
    let most = 0;
    const use = async ({ length }: Buffer) => {
      most = Math.max(most, process.memoryUsage().external - before);
      return length;
    };
    const lengths = await Promise.all(Array.from({ length: 300 }, () => bodies.with(source(), true, use)));
    expect(lengths).toEqual(Array(300).fill(MIB));
    expect(most).toBeLessThan(100 * MIB);
    expect(bodies.bytes).toBe(0);
  });
});
