import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Receiving } from '../processes/receiving.ts';
import { LoopDisk } from './disks/loop-disk.ts';
import { mountObstacle } from './disks/obstacle.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { inLines } from './lines.ts';
import type { Fsync } from './processes/messages.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const LINES = 2;
const DISK_BYTES = 48 * 1024 * 1024;
const JOURNAL_BYTES = 32 * 1024 * 1024;
const LONGEST_LIFE_MS = 250;
/** How long an application may run after the power of its disk was cut. */
const LONGEST_AFTERLIFE_MS = 20;

/** Cuts the power of a disk while applications on it sync every write. */
export const powerCut: Fault = powerCutWith('power-cut', 'always', { full: 300, quick: 3 });

/** The same, for applications that sync at intervals. Here too, what `durable()` reports as durable must be durable. */
export const powerCutInterval: Fault = powerCutWith('power-cut-interval', 'interval', {
  full: 100,
  quick: 3,
});

/**
 * One application after the other tracks onto a disk, whose power is cut at a random moment. Each finds the stored events of
 * those before it, and delivers them; for every third one the service is away. The last one drains the disk.
 */
function powerCutWith(name: string, fsync: Fsync, tries: { full: number; quick: number }): Fault {
  return {
    name,
    get skipReason() {
      return mountObstacle('loop');
    },
    run: ({ isQuick, ...context }) => run(context, fsync, isQuick ? tries.quick : tries.full),
  };
}

interface Line {
  readonly expectations: readonly Expectation[];
  readonly problems: readonly string[];
}

async function run(
  { seed, directory }: Omit<FaultContext, 'isQuick'>,
  fsync: Fsync,
  cuts: number,
): Promise<FaultResult> {
  await using receiver = await Receiving.start();
  const lines = await inLines(LINES, cuts, (line, share) =>
    runLine({ line, cuts: share, seed: seed + line, fsync, receiver, path: join(directory, `disk-${line}`) }),
  );
  const expectations = lines.flatMap((line) => line.expectations);
  const problems = lines.flatMap((line) => line.problems);
  const { expected, lost, duplicates, examples } = await receiver.audit({ expectations, isComplete: false });
  return {
    ...{ tries: cuts, durable: expected, lost, duplicates },
    demand: `0 lost of what durable() said is durable, with fsync '${fsync}'`,
    problems: [...examples, ...problems],
  };
}

async function runLine(options: {
  readonly line: number;
  readonly cuts: number;
  readonly seed: number;
  readonly fsync: Fsync;
  readonly receiver: Receiving;
  readonly path: string;
}): Promise<Line> {
  const { line, cuts, seed, fsync, receiver, path } = options;
  const random = createRandom(seed);
  using disk = new LoopDisk(path, DISK_BYTES);
  const journalDirectory = join(disk.path, 'journal');
  const start = (number: number, total: number | null) => {
    const baseUrl = total === null && number % 3 === 1 ? NOBODY : receiver.baseUrl;
    return new Tracking({
      ...{ baseUrl, journalDirectory, fsync, total, durableWhen: 'synced', maxBytes: JOURNAL_BYTES },
      ...{ life: number * LINES + line, seed: random(2 ** 32), mostPerBurst: 40 },
    });
  };
  const expectations: Expectation[] = [];
  const problems: string[] = [];
  for (let cut = 0; cut < cuts; cut += 1) {
    const tracking = start(cut, null);
    // Every other application may still be opening its journal.
    await (cut % 2 === 0 ? tracking.firstDurable : tracking.started);
    await pause(random(LONGEST_LIFE_MS));
    // Later reports do not count. A machine without power reports nothing, and during the shutdown of ext4's journal a sync can
    // succeed although nothing is on the disk.
    expectations.push(tracking.expectation);
    disk.cutPower();
    await pause(random(LONGEST_AFTERLIFE_MS));
    await tracking.kill();
    disk.restart();
    // Without the failures of the journal, which are expected here.
    problems.push(...tracking.problems);
  }
  const heir = start(cuts, 0);
  await heir.finish();
  return { expectations, problems: [...problems, ...heir.allProblems] };
}
