import { describe, expect, it } from 'vitest';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import { describeJournal, group } from '../contracts/journal-contract.ts';

describeJournal('MemoryJournal', { create: () => new MemoryJournal(1_000_000), survives: false });

describe('MemoryJournal', () => {
  it('refuses what would exceed its bound, keeps what it has, and takes more once some is released', async () => {
    const journal = new MemoryJournal(10);
    const range = await journal.append(group(['"12345"']));
    await expect(journal.append(group(['"12345"']))).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(journal.bytes).toBe(7);
    await journal.acknowledge(range);
    expect(journal.bytes).toBe(0);
    await journal.append(group(['"12345"']));
  });

  it('reads what was appended bit by bit in one go, within the limits', async () => {
    const journal = new MemoryJournal(1_000);
    const texts = ['"1"', '"22"', '"333"', '"4444"'];
    for (const text of texts) await journal.append(group([text]));
    const read = async (maxEvents: number, maxBytes: number) => {
      const { events, range } = await journal.read({ segment: 1, from: 0, to: 4 }, { maxEvents, maxBytes });
      expect(range).toEqual({ segment: 1, from: 0, to: events.ends.length });
      return new TextDecoder().decode(events.bytes);
    };
    expect(await read(10, 1_000)).toBe(texts.join(','));
    expect(await read(2, 1_000)).toBe('"1","22"');
    expect(await read(10, 14)).toBe('"1","22","333"');
    expect(await read(10, 13)).toBe('"1","22"');
    expect(await read(10, 1)).toBe('"1"');
    await journal.acknowledge({ segment: 1, from: 2, to: 3 });
    expect(await read(10, 1_000)).toBe('"1","22"');
  });
});

describe('MemoryJournal, with a bound', () => {
  const group = (text: string) => ({
    bytes: new TextEncoder().encode(text),
    ends: Uint32Array.of(text.length),
  });

  it('gives up its oldest segment, once what is to be kept of it is written again', async () => {
    const journal = new MemoryJournal(80);
    const first = await journal.append(group('0123456789'));
    const second = await journal.append(group('abcdefghij'));
    expect(second.segment).toBeGreaterThan(first.segment);
    const rescued: number[] = [];
    const given = await journal.evictOldest(async (segment) => {
      rescued.push(segment);
      expect((await journal.read(first, { maxEvents: 1, maxBytes: 100 })).events.ends).toHaveLength(1);
    });
    expect([given, rescued, journal.bytes]).toEqual([first.segment, [first.segment], 10]);
    expect((await journal.read(first, { maxEvents: 1, maxBytes: 100 })).events.ends).toHaveLength(0);
    await journal.acknowledge(first);
    await journal.acknowledge(second);
    expect(journal.bytes).toBe(0);
    await journal.evictOldest();
    expect(await journal.evictOldest()).toBeUndefined();
  });
});
