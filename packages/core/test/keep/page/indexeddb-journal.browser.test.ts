import { systemClock } from '@sluice/protocol/toolbox';
import { createIndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { describeJournal } from '../../contracts/journal-contract.ts';

describeJournal('IndexedDbJournal', {
  create: (place) => createIndexedDbJournal(place, { locks: navigator.locks }, systemClock),
  survives: true,
  isShared: true,
});
