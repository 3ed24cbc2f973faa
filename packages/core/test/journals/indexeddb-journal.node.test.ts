import 'fake-indexeddb/auto';
import { IndexedDbJournal } from '../../src/journals/indexeddb-journal.ts';
import { describeJournal } from '../contracts/journal-contract.ts';
import { FakeLocks } from '../fake-locks.ts';

const locks = new FakeLocks();

describeJournal('IndexedDbJournal on fake-indexeddb', {
  create: (place) => new IndexedDbJournal(place, locks),
  survives: true,
});
