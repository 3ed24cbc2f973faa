import { tmpdir } from 'node:os';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import type { Simulated } from './simulation/processes/messages.ts';
import { simulateApart } from './simulation/simulating.ts';

const SCHEDULES = { full: 100_000, quick: 75 };
const PROCESSES = 2;
/** For each process. */
const MOST_FAILURES = 5;

/**
 * Simulates trackers with their file journal and sender: on a virtual clock, with a virtual disk and network, on a machine whose
 * processes are killed and whose power is cut. Compares what the trackers report with what happens to the events.
 */
export const simulation: Fault = { name: 'simulation', run };

async function run({ isQuick, seed }: FaultContext): Promise<FaultResult> {
  const count = isQuick ? SCHEDULES.quick : SCHEDULES.full;
  const shares = await Promise.all(
    Array.from({ length: PROCESSES }, (_, first) =>
      simulateApart({
        seed,
        first,
        step: PROCESSES,
        count,
        mostFailures: MOST_FAILURES,
        logDirectory: tmpdir(),
      }),
    ),
  );
  const sum = (of: (share: Simulated) => number) => shares.reduce((total, share) => total + of(share), 0);
  const failures = shares.flatMap(({ failures }) => failures).sort((a, b) => a.schedule - b.schedule);
  return {
    tries: sum(({ schedules }) => schedules),
    durable: sum(({ durable }) => durable),
    lost: sum(({ lost }) => lost),
    duplicates: sum(({ duplicates }) => duplicates),
    demand: '0 lost, books balance, none twice without a reason',
    problems: failures.map(({ schedule, seed, problems, log }) => {
      const alone = `it is the first one of --quick --only simulation --seed ${seed}; its steps: ${log}`;
      return `schedule ${schedule}: ${problems.join('; ')} (${alone})`;
    }),
  };
}
