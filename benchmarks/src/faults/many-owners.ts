import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { Receiving } from '../processes/receiving.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const SIZE = { full: { processes: 8, kills: 30 }, quick: { processes: 3, kills: 4 } };
const LONGEST_PAUSE_MS = 120;
const BATCH_EVENTS = 100;
const CONCURRENT_BATCHES = 4;

/**
 * Several applications on one journal directory. One after the other is killed, at times while a third one is stopped, and
 * the one that takes its place finds what is orphaned. An orphan that two adopted would show as duplicates.
 */
export const manyOwners: Fault = {
  name: 'many-owners',
  skipReason: process.platform === 'win32' ? 'there is no SIGSTOP on Windows' : undefined,
  run,
};

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const { processes, kills } = isQuick ? SIZE.quick : SIZE.full;
  const random = createRandom(seed);
  const receiver = await Receiving.start();
  const owners: Tracking[] = [];
  const ended: Tracking[] = [];
  let lives = 0;
  const start = (total: number | null) => {
    const tracking = new Tracking({
      ...{ baseUrl: receiver.baseUrl, journalDirectory: directory, total },
      ...{ life: lives, seed: random(2 ** 32), batchEvents: BATCH_EVENTS },
    });
    lives += 1;
    return tracking;
  };
  try {
    for (let number = 0; number < processes; number += 1) owners.push(start(null));
    await Promise.all(owners.map((owner) => owner.started));
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(random(LONGEST_PAUSE_MS));
      const [victim] = owners.splice(random(owners.length), 1);
      // A stopped process is alive, and nobody may take what it holds.
      const stopped = random(3) === 0 ? owners[random(owners.length)] : undefined;
      stopped?.signal('SIGSTOP');
      await victim?.kill();
      const successor = start(null);
      await successor.started;
      await pause(random(LONGEST_PAUSE_MS));
      stopped?.signal('SIGCONT');
      owners.push(successor);
      if (victim !== undefined) ended.push(victim);
    }
    await Promise.all(owners.map((owner) => owner.finish()));
    const heir = start(0);
    await heir.finish();
    ended.push(...owners, heir);

    const problems = ended.flatMap((tracking) => tracking.problems);
    const left = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(isSegment);
    if (left.length > 0) problems.push(`${left.length} segments are left, among them ${left[0]}`);
    const expectations: Expectation[] = ended.map((tracking) => tracking.expectation);
    const result = await receiver.audit({ expectations, isComplete: false });
    const { expected, lost, duplicates, examples } = result;
    const mostDuplicates = kills * CONCURRENT_BATCHES * BATCH_EVENTS;
    if (duplicates > mostDuplicates)
      problems.push(`${duplicates} duplicates, at most ${mostDuplicates} may be`);
    return {
      ...{ tries: kills, durable: expected, lost, duplicates },
      demand: `0 lost, no orphan left, duplicates <= ${mostDuplicates}`,
      problems: [...examples, ...problems],
    };
  } finally {
    await Promise.all(owners.map((owner) => owner.kill()));
    await receiver[Symbol.asyncDispose]();
  }
}

function isSegment(name: string): boolean {
  return name.endsWith('.segment') || name.endsWith('.damaged');
}
