import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { damage } from '../../src/faults/damage.ts';
import { leaveJournals } from '../../src/faults/left-journals.ts';
import { createRandom } from '../../src/faults/random.ts';
import { isIntact, readFrames } from '../../src/faults/segment-layout.ts';
import { damageSlot } from '../../src/faults/slot-damage.ts';
import { SlotFiles } from '../../src/faults/slot-files.ts';
import { numberedUuid } from '../../src/processes/numbered-uuid.ts';

const EVENTS = 20;
const WHOLE = { events: EVENTS, segmentBytes: 1024 * 1024, released: 0 };
const scratch = mkdtempSync(join(tmpdir(), 'sluice-damage-'));
let segment: Buffer;

beforeAll(async () => {
  const directory = join(scratch, 'journals');
  await leaveJournals(directory, [{ ...WHOLE, life: 3 }], createRandom(1));
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

  it('tells what is released from what must arrive, in several segments', async () => {
    const directory = join(scratch, 'released');
    const journal = { life: 4, events: EVENTS, segmentBytes: 2_000, released: 3 };
    await leaveJournals(directory, [journal], createRandom(1));
    const [name = ''] = readdirSync(directory);
    const slot = new SlotFiles(join(directory, name));
    expect(slot.life).toBe(4);
    expect(slot.named('.segment').length).toBeGreaterThan(1);
    const { must, may } = slot.expectations(EVENTS);
    const released = must.except ?? [];
    expect(released.length).toBeGreaterThanOrEqual(3);
    expect(released.length).toBeLessThan(EVENTS);
    expect(may.except).toHaveLength(EVENTS);
    // The same events, now without the acknowledgements.
    for (const name of slot.named('.acks')) slot.files.delete(name);
    expect(slot.expectations(EVENTS).must).toEqual(must);
    expect(slot.expectations(EVENTS).may.except?.length).toBeLessThan(EVENTS);
  });

  it('expects every event of a slot to which only things were added', async () => {
    const directory = join(scratch, 'added');
    const random = createRandom(2);
    const lives = Array.from({ length: 12 }, (_, life) => ({ ...WHOLE, life }));
    await leaveJournals(directory, lives, random);
    const decoy = { path: join(scratch, 'decoy'), bytes: segment };
    for (const name of readdirSync(directory)) {
      const slot = new SlotFiles(join(directory, name));
      const spared = damageSlot(slot, random, decoy);
      const { except } = slot.expectations(EVENTS).must;
      if (spared !== undefined) expect(except).toEqual([]);
      for (const left of spared?.names ?? []) expect(readdirSync(slot.path)).toContain(left);
    }
  });
});
