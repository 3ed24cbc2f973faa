import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Audit, Expectation } from '../processes/audit.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Emulating } from './emulating.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { inLines, sumOf } from './lines.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const KILLS = { full: 1_000, quick: 6 };
const LINES = 2;
/** Long enough for some lives to deliver much, short enough for some to die while they open the journal. */
const LONGEST_LIFE_MS = 300;
const MOST_PER_BURST = 40;
const BATCH_EVENTS = 100;
const CONCURRENT_BATCHES = 4;
/** What was in a request when a process died: it may have arrived, and nobody was left to note it. */
const MOST_REPEATS_PER_KILL = CONCURRENT_BATCHES * BATCH_EVENTS;
const MODES = ['always', 'interval', 'never'] as const;

/**
 * One application after the other on one journal: each finds what the ones before it left, tracks, delivers to the
 * emulator, and is killed at a random moment; in every third life the service is away, so that what is released before it
 * has arrived is lost for good. The last one delivers what is left. What is written survives in every mode of `fsync`.
 */
export const sigkill: Fault = { name: 'sigkill', run };

interface Line extends Audit {
  readonly problems: readonly string[];
  /** The most repeats that one life brought. */
  readonly mostRepeats: number;
}

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const kills = isQuick ? KILLS.quick : KILLS.full;
  const lines = await inLines(LINES, kills, (line, share) =>
    runLine(share, seed + line, join(directory, String(line))),
  );
  const most = Math.max(...lines.map(({ mostRepeats }) => mostRepeats));
  return {
    tries: kills,
    durable: sumOf(lines, ({ expected }) => expected),
    lost: sumOf(lines, ({ lost }) => lost),
    duplicates: sumOf(lines, ({ duplicates }) => duplicates),
    demand: `0 lost, duplicates <= ${MOST_REPEATS_PER_KILL} a kill (in flight); most in one life: ${most}`,
    problems: lines.flatMap(({ examples, problems }) => [...examples, ...problems]),
  };
}

async function runLine(kills: number, seed: number, journalDirectory: string): Promise<Line> {
  const random = createRandom(seed);
  await using emulator = await Emulating.start();
  const start = (life: number, total: number | null) => {
    const fsync = MODES[random(MODES.length)] ?? 'interval';
    // Away for a whole life: a connection that is cut leaves events of which nobody knows whether they arrived.
    const baseUrl = total === null && life % 3 === 1 ? NOBODY : emulator.baseUrl;
    return new Tracking({
      ...{ baseUrl, apiKey: emulator.apiKey, journalDirectory, fsync, life, total },
      ...{ seed: random(2 ** 32), batchEvents: BATCH_EVENTS, mostPerBurst: MOST_PER_BURST },
    });
  };
  const expectations: Expectation[] = [];
  const problems: string[] = [];
  let repeats = 0;
  let mostRepeats = 0;
  const checkRepeats = async (killed: number) => {
    const count = await emulator.countRepeats();
    mostRepeats = Math.max(mostRepeats, count - repeats);
    repeats = count;
    const allowed = killed * MOST_REPEATS_PER_KILL;
    if (count > allowed)
      problems.push(`${count} duplicates after ${killed} kills, at most ${allowed} may be`);
  };
  for (let life = 0; life < kills; life += 1) {
    const tracking = start(life, null);
    await tracking.started;
    await pause(random(LONGEST_LIFE_MS));
    await tracking.kill();
    await checkRepeats(life);
    expectations.push(tracking.expectation);
    problems.push(...tracking.allProblems);
  }
  const heir = start(kills, 0);
  await heir.finish();
  await checkRepeats(kills);
  problems.push(...heir.allProblems);
  return { ...(await emulator.audit({ expectations, isComplete: false })), problems, mostRepeats };
}
