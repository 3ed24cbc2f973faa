import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Receiving } from '../processes/receiving.ts';
import { type DamagedWave, leaveDamagedWave } from './damaged-wave.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { leaveJournals } from './left-journals.ts';
import { createRandom, type Random } from './random.ts';
import type { Decoy } from './slot-damage.ts';
import { SEGMENT, type SlotExpectations } from './slot-files.ts';
import { Tracking } from './tracking.ts';

const JOURNALS = { full: 10_000, quick: 30 };
/** Journals in one directory, drained by one process: starting one process for each journal would take most of the time. */
const JOURNALS_PER_WAVE = { full: 200, quick: 30 };
const DECOY = { life: 2 ** 32 - 1, events: 10, segmentBytes: 8 * 1024 * 1024, released: 0 };

/** Journals that were damaged while no process held them. The process that finds them must deliver exactly the intact events. */
export const damagedJournals: Fault = { name: 'damaged-journals', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const size = isQuick ? 'quick' : 'full';
  const journals = JOURNALS[size];
  const perWave = JOURNALS_PER_WAVE[size];
  const random = createRandom(seed);
  await using receiver = await Receiving.start();
  const decoy = await makeDecoy(join(directory, 'decoy'), random);
  const leave = (first: number) => {
    const lives = Array.from({ length: perWave }, (_, index) => first + index);
    return leaveDamagedWave(join(directory, String(first)), lives, random, decoy);
  };
  const problems: string[] = [];
  const drain = async ({ directory, check }: DamagedWave, life: number) => {
    const heir = new Tracking({
      baseUrl: receiver.baseUrl,
      journalDirectory: directory,
      life,
      seed,
      total: 0,
    });
    await heir.finish();
    problems.push(...heir.problems, ...check(heir.storageFailures));
    rmSync(directory, { recursive: true });
  };
  const expectations: SlotExpectations[] = [];
  let wave: DamagedWave | undefined = await leave(0);
  for (let first = perWave; wave !== undefined; first += perWave) {
    expectations.push(...wave.expectations);
    // Prepares the next wave while this one is drained. The draining process tracks nothing: its number only has to be unique.
    const draining = drain(wave, journals + first);
    [wave] = await Promise.all([first < journals ? leave(first) : undefined, draining]);
  }
  if (expectations.length !== journals) problems.push(`${expectations.length} journals were found to damage`);
  return { ...(await auditAll(receiver, expectations, problems)), tries: journals };
}

async function auditAll(
  receiver: Receiving,
  expectations: readonly SlotExpectations[],
  problems: readonly string[],
): Promise<Omit<FaultResult, 'tries'>> {
  const must = expectations.map((slot) => slot.must);
  const may = expectations.map((slot) => slot.may);
  const { expected, lost, duplicates, examples } = await receiver.audit({
    expectations: must,
    isComplete: false,
  });
  const all = await receiver.audit({ expectations: [...must, ...may], isComplete: true });
  const again = all.expected - all.lost - (expected - lost);
  const found = [...examples, ...problems];
  if (all.unexpected > 0) found.push(`${all.unexpected} damaged, released or foreign events arrived`);
  if (duplicates > 0) found.push(`${duplicates} events arrived more than once`);
  return {
    ...{ durable: expected, lost, duplicates },
    demand: `0 crashes, 0 intact lost, 0 damaged delivered; ${again} released came again (damaged .acks)`,
    problems: found,
  };
}

/** An intact journal that belongs to another program. Nothing may follow a link to it. */
async function makeDecoy(directory: string, random: Random): Promise<Decoy> {
  mkdirSync(directory);
  await leaveJournals(directory, [DECOY], random);
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const path = join(directory, names.find((name) => name.endsWith(SEGMENT)) ?? '');
  return { path, bytes: readFileSync(path) };
}
