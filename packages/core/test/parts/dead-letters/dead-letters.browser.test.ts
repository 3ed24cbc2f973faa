import { systemClock } from '@sluice/protocol/toolbox';
import { createIndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { describeDeadLetters } from '../../contracts/dead-letters-contract.ts';

describeDeadLetters('IndexedDB', {
  create: (place) => createIndexedDbJournal(place, { locks: navigator.locks }, systemClock),
  survives: true,
});
