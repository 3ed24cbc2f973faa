import { MemoryJournal } from '../../../src/keep/memory-journal.ts';
import { describeDeadLetters } from '../../contracts/dead-letters-contract.ts';

describeDeadLetters('memory', {
  create: (_place, _clock, maxBytes) => new MemoryJournal(maxBytes),
  survives: false,
});
