import { expect, it } from 'vitest';
import type { Gzip } from '../../src/parts/gzip/compression.ts';

/** A body like that of a batch, with much repetition. */
export function bodyOf(events: number): Uint8Array {
  const batch = Array.from({ length: events }, (_, number) => ({
    event: 'purchase',
    correlationKey: 'email',
    correlationValue: `user${number % 97}@example.com`,
    uuid: crypto.randomUUID(),
    payload: { total: number * 1.5, note: 'ä€😀' },
  }));
  return new TextEncoder().encode(JSON.stringify({ batch }));
}

/** What must hold for every implementation of gzip. */
export function describeGzip(name: string, gzip: Gzip): void {
  it(`gzip by ${name} knows what a body was compressed to from all else`, async () => {
    const body = bodyOf(500);
    const packed = await gzip.compress(body);
    const isTaken = (bytes: Uint8Array, of = body) => gzip.matches(bytes, of).catch(() => false);
    expect(await isTaken(packed)).toBe(true);
    const flipped = packed.slice();
    flipped[packed.length >> 1] = (flipped[packed.length >> 1] ?? 0) ^ 1;
    const other = body.slice();
    other[body.length - 1] = 0;
    for (const bytes of [flipped, packed.subarray(0, -9), packed.subarray(0, -1), body, new Uint8Array(0)]) {
      expect(await isTaken(bytes)).toBe(false);
    }
    for (const of of [other, body.subarray(0, -1), new Uint8Array([...body, 32])]) {
      expect(await isTaken(packed, of)).toBe(false);
    }
  });
}
