import { platform } from '#platform';
import { IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { describeJournal } from '../../contracts/journal-contract.ts';

describeJournal('IndexedDbJournal', {
  create: (place) => new IndexedDbJournal(place, { locks: navigator.locks }, platform.clock),
  survives: true,
  isShared: true,
});
