import { browserFaults } from './browser/browser-faults.ts';
import { damagedJournals } from './damaged-journals.ts';
import { dayOfBacklog } from './day-of-backlog.ts';
import { deliveryTable } from './delivery-table.ts';
import type { Fault } from './fault.ts';
import { foreignDirectory } from './foreign-directory.ts';
import { fullDisk } from './full-disk.ts';
import { hostileFiles } from './hostile-files.ts';
import { hostileService } from './hostile-service.ts';
import { lastMoment } from './last-moment.ts';
import { longOutage } from './long-outage.ts';
import { directoryMoved, locksRemoved } from './lost-directory.ts';
import { manyOwners } from './many-owners.ts';
import { nthOperationFails } from './nth-operation-fails.ts';
import { postgresFaults } from './postgres/postgres-faults.ts';
import { powerCut, powerCutInterval } from './power-cut.ts';
import { proxies } from './proxies.ts';
import { relayKills } from './relay-kills.ts';
import { shortLives } from './short-lives.ts';
import { sigkill } from './sigkill.ts';
import { simulation } from './simulation.ts';

/** All faults, in the order in which they run. */
export const FAULTS: readonly Fault[] = [
  ...[sigkill, lastMoment, damagedJournals, powerCut, powerCutInterval],
  ...[nthOperationFails, fullDisk, manyOwners, locksRemoved, directoryMoved, foreignDirectory, hostileFiles],
  ...[shortLives, relayKills],
  ...[hostileService, deliveryTable, ...proxies],
  ...[longOutage, dayOfBacklog, simulation],
  ...postgresFaults,
  ...browserFaults,
];
