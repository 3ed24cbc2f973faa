import { systemClock } from '@sluice/protocol/toolbox';
import { IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { describeDeadLetters } from '../../contracts/dead-letters-contract.ts';

describeDeadLetters('IndexedDB', {
  create: (place) => new IndexedDbJournal(place, { locks: navigator.locks }, systemClock),
  survives: true,
});
