import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Receiving } from '../processes/receiving.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const TRIES = { full: 60, quick: 3 };
const LONGEST_LIFE_MS = 200;
/** An owner that does not notice for so long fails. */
const PATIENCE_MS = 30_000;
const LOCK = '.lock';

/** What somebody does to the directory of a living owner. */
type Harm = (directory: string, number: number) => void;

const removeLocks: Harm = (directory) => {
  for (const name of readdirSync(directory)) if (name.endsWith(LOCK)) rmSync(join(directory, name));
};

/** Away, in exchange for an empty one, and for a backup. */
const moveDirectory: Harm = (directory, number) => {
  const [moved, backup] = [`${directory}-moved-${number}`, `${directory}-backup`];
  if (number % 3 === 2)
    cpSync(directory, backup, { recursive: true, filter: (path) => !path.endsWith(LOCK) });
  renameSync(directory, moved);
  if (number % 3 === 1) mkdirSync(directory);
  if (existsSync(backup)) renameSync(backup, directory);
};

/** Removes the locks of living applications. For every other one, another application takes its events before it notices. */
export const locksRemoved: Fault = lostDirectory('locks-removed', removeLocks, true);

/** Moves away the directory of living applications. */
export const directoryMoved: Fault = lostDirectory('directory-moved', moveDirectory, false);

/**
 * One application after the other tracks while the service is away. When it has noticed what happened to its directory, and has
 * said once more that its events are durable, it is killed. The next one delivers what it finds.
 */
function lostDirectory(name: string, harm: Harm, hasHeirs: boolean): Fault {
  return { name, run: (context) => run(context, harm, hasHeirs) };
}

async function run(
  { isQuick, seed, directory }: FaultContext,
  harm: Harm,
  hasHeirs: boolean,
): Promise<FaultResult> {
  const tries = isQuick ? TRIES.quick : TRIES.full;
  const random = createRandom(seed);
  await using receiver = await Receiving.start();
  const journalDirectory = join(directory, 'journal');
  const start = (life: number, baseUrl: string, total: number | null) =>
    new Tracking({
      ...{ baseUrl, journalDirectory, fsync: life % 2 === 0 ? 'interval' : 'always', life, total },
      ...{ durableWhen: 'synced', seed: random(2 ** 32), mostPerBurst: 20 },
    });
  const expectations: Expectation[] = [];
  const problems: string[] = [];
  for (let number = 0; number < tries; number += 1) {
    const life = start(number, NOBODY, null);
    await life.firstDurable;
    await pause(random(LONGEST_LIFE_MS));
    // So that it notices nothing while another one looks.
    life.signal('SIGSTOP');
    harm(journalDirectory, number);
    if (hasHeirs && number % 2 === 1) {
      const heir = start(tries + number, receiver.baseUrl, 0);
      await heir.finish();
      problems.push(...heir.problems);
    }
    life.signal('SIGCONT');
    const isNoticed = await comes(() => life.storageFailures.some((what) => what.includes('somebody')));
    const { count } = life.expectation;
    const isMended = await comes(() => life.expectation.count > count);
    if (!isNoticed || !isMended)
      problems.push(`life ${number} ${isNoticed ? 'did not go on' : 'noticed nothing'}`);
    await life.kill();
    expectations.push(life.expectation);
    problems.push(...life.problems);
    const next = start(2 * tries + number, receiver.baseUrl, 0);
    await next.finish();
    problems.push(...next.allProblems);
  }
  const { expected, lost, duplicates, examples } = await receiver.audit({ expectations, isComplete: false });
  return {
    ...{ tries, durable: expected, lost, duplicates },
    demand: '0 lost of what durable() said is durable once the owner had noticed',
    problems: [...examples, ...problems],
  };
}

async function comes(isThere: () => boolean): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !isThere(); waitedMs += 10) await pause(10);
  return isThere();
}
