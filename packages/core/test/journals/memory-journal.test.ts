import { describe, expect, it } from 'vitest';
import { MemoryJournal } from '../../src/journals/memory-journal.ts';
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
});
