import { setTimeout as pause } from 'node:timers/promises';
import { whyNoPgBouncer, whyNoPostgres } from '@sluice/test-servers';
import { mountObstacle } from '../disks/obstacle.ts';
import type { Fault, FaultContext, FaultResult } from '../fault.ts';
import { MOST_REQUESTS } from '../processes/messages.ts';
import { Fleet } from './fleet.ts';
import { BATCH_EVENTS, type Role } from './messages.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { SmallDisk } from './small-disk.ts';

/** Two of each kind that sends. */
const ROLES: readonly Role[] = ['tracker', 'publisher', 'forwarder', 'forwarder', 'outbox'];
const SENDERS = 3;
/** 15 s in an application. */
const LEASE_MS = 2_000;
const BETWEEN_MS = { full: 1_000, quick: 300 };

/**
 * A fleet on a real PostgreSQL server: one process tracks and sends, one only inserts, one inserts in transactions of which some are
 * rolled back, and two forward. Something goes wrong, again and again. No durable event is lost, and none arrives that was rolled
 * back.
 */
export const postgresFaults: readonly Fault[] = scenarios.map((scenario) => ({
  name: scenario.name,
  get skipReason() {
    return whyNot(scenario);
  },
  run: (context) => run(scenario, context),
}));

function whyNot({ diskBytes, needsBouncer }: Scenario): string | undefined {
  return (
    whyNoPostgres() ??
    (needsBouncer ? whyNoPgBouncer() : undefined) ??
    (diskBytes === undefined ? undefined : mountObstacle('memory'))
  );
}

async function run(scenario: Scenario, { isQuick, seed }: FaultContext): Promise<FaultResult> {
  const { settings = {}, diskBytes, prepare, disturb } = scenario;
  const tries = isQuick ? scenario.tries.quick : scenario.tries.full;
  await using fleet = await Fleet.start({
    seed,
    leaseMs: LEASE_MS,
    settings,
    disk: diskBytes === undefined ? undefined : new SmallDisk(diskBytes),
  });
  await prepare?.(fleet);
  const members = await Promise.all(ROLES.map((role) => fleet.add(role)));
  for (let one = 0; one < tries; one += 1) {
    await pause(fleet.random(isQuick ? BETWEEN_MS.quick : BETWEEN_MS.full));
    await disturb(fleet, members, isQuick);
  }
  const { expected, lost, duplicates, examples, problems } = await fleet.settle(members);
  const most = tries * SENDERS * MOST_REQUESTS * BATCH_EVENTS;
  return {
    tries,
    durable: expected,
    lost,
    duplicates,
    demand: `0 lost of what was durable or committed, none rolled back, at most ${most} twice (in requests)`,
    problems: [
      ...(lost > 0 ? examples : []),
      ...problems,
      ...(duplicates > most ? [`${duplicates} events arrived twice`] : []),
    ],
  };
}
