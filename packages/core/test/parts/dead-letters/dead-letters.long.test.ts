import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import { createIndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { describeDeadLetters } from '../../contracts/dead-letters-contract.ts';
import { describeFailingDisk } from '../../contracts/failing-letters-contract.ts';

describeFailingDisk((after) => after + (after < 12 ? 1 : 9));

const locks = new FakeLocks();
describeDeadLetters('fake-indexeddb', {
  create: (place) => createIndexedDbJournal(place, { locks }, systemClock),
  survives: true,
});
