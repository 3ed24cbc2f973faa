import { systemClock } from '@sluice/protocol/toolbox';
import { IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { describeJournal } from '../../contracts/journal-contract.ts';

describeJournal('IndexedDbJournal', {
  create: (place) => new IndexedDbJournal(place, { locks: navigator.locks }, systemClock),
  survives: true,
  isShared: true,
});
