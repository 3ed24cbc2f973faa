import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Receiving } from '../processes/receiving.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { BATCH_EVENTS, Owners } from './owners.ts';
import { MOST_REQUESTS } from './processes/messages.ts';
import { createRandom, type Random } from './random.ts';

const SIZE = {
  full: { processes: 20, kills: 200, orphanings: 2, cutOff: 10 },
  quick: { processes: 4, kills: 6, orphanings: 1, cutOff: 2 },
};
const LONGEST_PAUSE_MS = 80;
/** How long the processes track that are cut off from the service. */
const CUT_OFF_MS = 500;
const ADOPTED_WITHIN_MS = 30_000;
/** After this time it is clear that no process adopts the orphans. */
const GIVEN_UP_AFTER_MS = 75_000;
const LOOK_MS = 100;

/**
 * Many applications share one journal directory. Half of them are workers of a cluster. Some are killed one after the other,
 * sometimes while another one is stopped, and the applications that replace them adopt the orphans. Others are cut off from the
 * service, killed at once and not replaced: the running applications must adopt their events, and deliver them once.
 */
export const manyOwners: Fault = {
  name: 'many-owners',
  skipReason: process.platform === 'win32' ? 'there is no SIGSTOP on Windows' : undefined,
  run,
};

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const { processes, kills, orphanings, cutOff } = isQuick ? SIZE.quick : SIZE.full;
  const random = createRandom(seed);
  await using receiver = await Receiving.start();
  const { baseUrl } = receiver;
  await using owners = new Owners({ baseUrl, journalDirectory: directory, random });
  await owners.start(processes);
  const replaced = kills - orphanings * cutOff;
  for (let kill = 0; kill < replaced; kill += 1) await replaceOne(owners, random);
  const problems: string[] = [];
  const waits: number[] = [];
  for (let orphaning = 0; orphaning < orphanings; orphaning += 1) {
    const waited = await orphan(owners, { count: cutOff, receiver, problems });
    if (waited > ADOPTED_WITHIN_MS) problems.push(`orphans were drained after ${waited.toFixed(0)} ms`);
    waits.push(waited);
  }
  await owners.finish();
  const left = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(isSegment);
  if (left.length > 0) problems.push(`${left.length} segments are left, among them ${left[0]}`);
  const { expectations } = owners;
  const { expected, lost, duplicates, examples } = await receiver.audit({ expectations, isComplete: false });
  const mostDuplicates = replaced * MOST_REQUESTS * BATCH_EVENTS;
  if (duplicates > mostDuplicates)
    problems.push(`${duplicates} duplicates, at most ${mostDuplicates} may be`);
  const longest = (Math.max(...waits) / 1000).toFixed(1);
  return {
    ...{ tries: kills, durable: expected, lost, duplicates },
    demand: `0 lost, duplicates <= ${mostDuplicates}, orphans drained within 30 s (${longest} s)`,
    problems: [...examples, ...owners.problems, ...problems],
  };
}

/** Kills one and starts another, sometimes while a third one is stopped. The stopped one is alive, and keeps its events. */
async function replaceOne(owners: Owners, random: Random): Promise<void> {
  await pause(random(LONGEST_PAUSE_MS));
  const goOn = random(3) === 0 ? owners.stopOne() : undefined;
  await owners.killOne();
  await owners.start(1);
  await pause(random(LONGEST_PAUSE_MS));
  goOn?.();
}

interface Orphaning {
  readonly count: number;
  readonly receiver: Receiving;
  readonly problems: string[];
}

/** Makes orphans without successors. Returns how long it took until all their events had arrived. */
async function orphan(owners: Owners, { count, receiver, problems }: Orphaning): Promise<number> {
  const victims = await owners.startCutOff(count);
  await pause(CUT_OFF_MS);
  const audit = () =>
    receiver.audit({ expectations: victims.map(({ expectation }) => expectation), isComplete: false });
  // While they live: once they are killed, others may adopt their events at any time.
  const before = await audit();
  const arrived = before.expected - before.lost;
  if (arrived > 0) problems.push(`${arrived} events of those that were cut off had arrived`);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const goOn = owners.stopOne();
  await owners.kill(victims);
  let { lost } = await audit();
  while (lost > 0 && elapsed() < GIVEN_UP_AFTER_MS) {
    await pause(LOOK_MS);
    ({ lost } = await audit());
  }
  const waited = elapsed();
  goOn();
  const { repeated } = await audit();
  // They had no event in a request when they were killed. So a repeat means that an orphan had two owners.
  if (repeated > 0) problems.push(`${repeated} events of ${count} orphans arrived more than once`);
  return waited;
}

function isSegment(name: string): boolean {
  return name.endsWith('.segment') || name.endsWith('.damaged');
}
