import { describeFailingDisk } from '../../contracts/failing-letters-contract.ts';

describeFailingDisk((after) => after + (after < 12 ? 1 : 9));
