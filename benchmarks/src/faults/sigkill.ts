import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { Emulating } from './emulating.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const KILLS = { full: 100, quick: 5 };
/** Long enough for some lives to deliver much, short enough for some to die while they open the journal. */
const LONGEST_LIFE_MS = 300;
const BATCH_EVENTS = 100;
const CONCURRENT_BATCHES = 4;

/**
 * One application after the other on one journal: each finds what the ones before it left, tracks, delivers to the
 * emulator, and is killed at a random moment; in every third life the service is away, so that what is released before it
 * has arrived is lost for good. The last one delivers what is left.
 */
export const sigkill: Fault = { name: 'sigkill', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const kills = isQuick ? KILLS.quick : KILLS.full;
  const random = createRandom(seed);
  const emulator = await Emulating.start();
  try {
    const { baseUrl, apiKey } = emulator;
    const start = (life: number, total: number | null) =>
      new Tracking({
        ...{ baseUrl, apiKey, journalDirectory: directory, life, total },
        ...{ seed: random(2 ** 32), batchEvents: BATCH_EVENTS },
      });
    const expectations: Expectation[] = [];
    const problems: string[] = [];
    for (let life = 0; life < kills; life += 1) {
      const isAway = life % 3 === 1;
      // Only between two lives: a connection that is cut leaves events of which nobody knows whether they arrived.
      if (isAway) await emulator.be('suspend');
      const tracking = start(life, null);
      await tracking.started;
      await pause(random(LONGEST_LIFE_MS));
      await tracking.kill();
      if (isAway) await emulator.be('resume');
      expectations.push(tracking.expectation);
      problems.push(...tracking.problems);
    }
    const heir = start(kills, 0);
    await heir.finish();
    problems.push(...heir.problems);

    const { expected, lost, duplicates, examples } = await emulator.audit({
      expectations,
      isComplete: false,
    });
    // What was in a request when the process died: it may have arrived, and nobody was left to note it.
    const mostDuplicates = kills * CONCURRENT_BATCHES * BATCH_EVENTS;
    if (duplicates > mostDuplicates)
      problems.push(`${duplicates} duplicates, at most ${mostDuplicates} may be`);
    return {
      ...{ tries: kills, durable: expected, lost, duplicates },
      demand: `0 lost, duplicates <= ${mostDuplicates}`,
      problems: [...examples, ...problems],
    };
  } finally {
    await emulator[Symbol.asyncDispose]();
  }
}
