import { setTimeout as pause } from 'node:timers/promises';
import { whyNoPgBouncer, whyNoPostgres } from '@sluice/test-servers';
import { mountObstacle } from '../disks/obstacle.ts';
import type { Fault, FaultContext, FaultResult } from '../fault.ts';
import { MOST_REQUESTS } from '../processes/messages.ts';
import { createRandom } from '../random.ts';
import { Fleet } from './fleet.ts';
import { BATCH_EVENTS, type Role } from './messages.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { SmallDisk } from './small-disk.ts';

/** Two of each kind that sends. */
const ROLES: readonly Role[] = ['tracker', 'publisher', 'forwarder', 'forwarder', 'outbox'];
const SENDERS = 3;
/** 15 s in an application. */
const LEASE_MS = 2_000;
/** How often a process tracks. A quick run shares its processors with others. */
const TICK_MS = { full: 10, quick: 20 };
const BETWEEN_MS = { full: 1_000, quick: 300 };
/** Few enough that one of the scenarios takes them all. */
const SETTINGS = { max_connections: 60 };
const ALL = 'pg-all';
const ALL_ROUNDS = { full: 5, quick: 1 };

/**
 * A fleet on a real PostgreSQL server: one process tracks and sends, one only inserts, one inserts in transactions of which some are
 * rolled back, and two forward. Something goes wrong, again and again. No durable event is lost, and none arrives that was rolled
 * back.
 */
export const postgresFaults: readonly Fault[] = [
  {
    name: ALL,
    skipReason: whyNoPostgres(),
    run: (context) => run(rounds(context), context),
  },
  ...scenarios.map(
    (scenario): Fault => ({
      name: scenario.name,
      notQuick: needsOwnFleet(scenario) ? undefined : `part of ${ALL}`,
      get skipReason() {
        return whyNot(scenario);
      },
      run: (context) => run(Array(context.isQuick ? 1 : scenario.tries).fill(scenario), context),
    }),
  ),
];

/** The others go wrong one after the other on one fleet. */
function needsOwnFleet({ diskBytes, prepare }: Scenario): boolean {
  return diskBytes !== undefined || prepare !== undefined;
}

function whyNot({ diskBytes, prepare }: Scenario): string | undefined {
  return (
    whyNoPostgres() ??
    (prepare ? whyNoPgBouncer() : undefined) ??
    (diskBytes === undefined ? undefined : mountObstacle('memory'))
  );
}

/** All scenarios on one fleet, in another order in each round. */
function rounds({ isQuick, seed }: FaultContext): Scenario[] {
  const random = createRandom(seed);
  const together = scenarios.filter((scenario) => !needsOwnFleet(scenario));
  return Array.from({ length: isQuick ? ALL_ROUNDS.quick : ALL_ROUNDS.full }, () => {
    const left = [...together];
    return together.flatMap(() => left.splice(random(left.length), 1));
  }).flat();
}

/** Lets the scenarios happen one after the other, on one fleet. The first one decides about its server. */
async function run(steps: readonly Scenario[], { isQuick, seed }: FaultContext): Promise<FaultResult> {
  const { settings, diskBytes, prepare }: Partial<Scenario> = steps[0] ?? {};
  await using fleet = await Fleet.start({
    seed,
    leaseMs: LEASE_MS,
    // A disk has to become full.
    tickMs: isQuick && diskBytes === undefined ? TICK_MS.quick : TICK_MS.full,
    settings: { ...SETTINGS, ...settings },
    disk: diskBytes === undefined ? undefined : new SmallDisk(diskBytes),
  });
  await prepare?.(fleet);
  const members = await Promise.all(ROLES.map((role) => fleet.add(role)));
  for (const { disturb } of steps) {
    await pause(fleet.random(isQuick ? BETWEEN_MS.quick : BETWEEN_MS.full));
    // A long transaction of ten minutes is a row of its own.
    await disturb(fleet, members, isQuick || steps.length > 1);
  }
  const { expected, lost, duplicates, examples, problems } = await fleet.settle(members);
  const most = steps.length * SENDERS * MOST_REQUESTS * BATCH_EVENTS;
  return {
    tries: steps.length,
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
