import { expect, it } from 'vitest';
import { journalContract } from '../../src/entries/journal-contract/journal-contract.ts';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';

/** Never closes, and gives the events of each group in the wrong order. */
class Careless extends MemoryJournal {
  override async close(): Promise<void> {}

  override async read(...args: Parameters<MemoryJournal['read']>): ReturnType<MemoryJournal['read']> {
    const { range, events } = await super.read(...args);
    return { range, events: { ...events, bytes: events.bytes.toReversed() } };
  }
}

it('fails for a journal that breaks it, and says what was expected', async () => {
  const failures: string[] = [];
  for (const { run } of journalContract({ create: () => new Careless(1_000_000), survives: false })) {
    await run().catch(({ name, message }) => failures.push(`${name}: ${message}`));
  }
  expect(failures).toContain('AssertionError: code of the error: expected "SLUICE_CLOSED", got undefined');
  expect(
    failures.filter((failure) => failure.startsWith('AssertionError: events: expected')).length,
  ).toBeGreaterThan(3);
});

it('has the cases of a journal that survives, and those of one that processes do not share, only for such', () => {
  const create = () => new MemoryJournal(1_000_000);
  const [all, shared, lost] = [{}, { isShared: true }, { survives: false }].map(
    (traits) => journalContract({ create, ...traits }).length,
  );
  expect([all, shared]).toEqual([(lost ?? 0) + 4, (lost ?? 0) + 3]);
});
