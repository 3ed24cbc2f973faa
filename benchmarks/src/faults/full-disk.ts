import { join } from 'node:path';
import type { Expectation } from '../processes/audit.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { Receiving } from '../processes/receiving.ts';
import { mountMemoryDisk } from './disks/memory-disk.ts';
import { mountObstacle } from './disks/obstacle.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import type { FillingSettings, FillingTold } from './processes/filling.ts';
import { createRandom } from './random.ts';

const MIB = 1024 * 1024;
const CYCLES = { full: 100, quick: 4 };
const CYCLES_PER_LIFE = { full: 5, quick: 2 };
/** One and a half times as many as the disk holds. */
const EVENTS = 3_000;
const SCRIPT = new URL('./processes/filling-process.js', import.meta.url);

/**
 * The limit of the journal and what is dropped at the limit, for one application after the other. With 64 MiB, the disk is full
 * first; with half a MiB, the journal reaches its limit.
 */
const SHARES = [
  { maxBytes: 64 * MIB, whenFull: 'drop-oldest' },
  { maxBytes: 64 * MIB, whenFull: 'drop-newest' },
  { maxBytes: MIB / 2, whenFull: 'drop-oldest' },
  { maxBytes: MIB / 2, whenFull: 'drop-newest' },
] as const;

/**
 * Runs one application after the other on a disk of 1 MiB. Each fills the disk while the service is away, continues to track,
 * drains it when the service is back, and must then write to the disk again. Every other one ends with a full disk.
 */
export const fullDisk: Fault = {
  name: 'full-disk',
  get skipReason() {
    return mountObstacle('memory');
  },
  run,
};

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const size = isQuick ? 'quick' : 'full';
  const random = createRandom(seed);
  await using receiver = await Receiving.start();
  using disk = mountMemoryDisk(join(directory, 'disk'), MIB);
  const { baseUrl } = receiver;
  const lives = CYCLES[size] / CYCLES_PER_LIFE[size];
  const common = { baseUrl, journalDirectory: join(disk.path, 'journal'), events: EVENTS };
  const expectations: Expectation[] = [];
  const problems: string[] = [];
  let dropped = 0;
  let inMemory = 0;
  let wasFull = false;
  for (let life = 0; life < lives; life += 1) {
    const share = SHARES[life % SHARES.length] ?? SHARES[0];
    const last = { cycles: CYCLES_PER_LIFE[size], leavesFull: life % 2 === 0 && life < lives - 1 };
    const told = await fill({ ...common, ...share, ...last, life, seed: random(2 ** 32) });
    expectations.push({ life, count: told.tracked });
    problems.push(...told.problems.map((problem) => `life ${life}: ${problem}`));
    dropped += told.dropped;
    inMemory += told.inMemory;
    // On a slow machine, the tracker notices in time that the disk fills up, drops events, and stays on the disk.
    wasFull ||= told.inMemory > 0 || (told.dropped > 0 && share.maxBytes > MIB);
  }
  const result = await receiver.audit({ expectations, isComplete: true });
  const { expected, lost: missing, duplicates, examples } = result;
  const lost = Math.max(0, missing - dropped);
  if (!wasFull) problems.push('the disk was never full');
  return {
    ...{ tries: CYCLES[size], durable: expected, lost, duplicates },
    demand: `0 lost but ${dropped} reported (${missing} did not arrive), back on the disk; in memory ${inMemory} times`,
    problems: lost > 0 ? [...examples, ...problems] : problems,
  };
}

async function fill(settings: FillingSettings): Promise<FillingTold> {
  await using process = new ForkedProcess<FillingTold>(SCRIPT, settings);
  return await process.expect('filled');
}
