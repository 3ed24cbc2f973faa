import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { damage } from '../../src/faults/damage.ts';
import { leaveJournals } from '../../src/faults/left-journals.ts';
import { createRandom } from '../../src/faults/random.ts';
import { isIntact, readFrames } from '../../src/faults/segment-layout.ts';
import { numberedUuid } from '../../src/processes/numbered-uuid.ts';

const EVENTS = 20;
const scratch = mkdtempSync(join(tmpdir(), 'sluice-damage-'));
let segment: Buffer;

beforeAll(async () => {
  const directory = join(scratch, 'journals');
  await leaveJournals(directory, [3], EVENTS, createRandom(1));
  const [name] = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.segment'),
  );
  segment = readFileSync(join(directory, name ?? ''));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('damage', () => {
  it('is the same for the same seed, and another for another', () => {
    const make = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 20 }, () => damage(segment, random).toString('hex'));
    };
    expect(make(42)).toEqual(make(42));
    expect(make(42)).not.toEqual(make(43));
  });

  it('leaves the original as it was', () => {
    const before = Buffer.from(segment);
    const random = createRandom(5);
    for (let time = 0; time < 50; time += 1) damage(segment, random);
    expect(segment.equals(before)).toBe(true);
  });

  it('does harm to events, and not to all of them', () => {
    const random = createRandom(9);
    const frames = readFrames(segment);
    let intact = 0;
    for (let time = 0; time < 50; time += 1) {
      const damaged = damage(segment, random);
      intact += frames.filter((frame) => isIntact(frame, segment, damaged)).length;
    }
    expect(intact).toBeGreaterThan(50);
    expect(intact).toBeLessThan(50 * EVENTS);
  });
});

describe('the second reader of the format', () => {
  it('finds every event that a tracker left, in order', () => {
    const uuids = readFrames(segment).map(({ text }) => JSON.parse(text).uuid);
    expect(uuids).toEqual(Array.from({ length: EVENTS }, (_, number) => numberedUuid(3, number)));
  });
});
