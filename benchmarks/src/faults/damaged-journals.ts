import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Expectation } from '../processes/audit.ts';
import { lifeOf } from '../processes/numbered-uuid.ts';
import { Receiving } from '../processes/receiving.ts';
import { damage } from './damage.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { leaveJournals } from './left-journals.ts';
import { createRandom, type Random } from './random.ts';
import { isIntact, readFrames } from './segment-layout.ts';
import { Tracking } from './tracking.ts';

const JOURNALS = { full: 1_000, quick: 50 };
/** Left side by side and drained by one process: starting one for each would take most of the time. */
const JOURNALS_PER_WAVE = 50;
const EVENTS_PER_JOURNAL = 40;

/** Journals that were damaged while nobody held them. A process that finds them must deliver what is intact, and no more. */
export const damagedJournals: Fault = { name: 'damaged-journals', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const journals = isQuick ? JOURNALS.quick : JOURNALS.full;
  const random = createRandom(seed);
  const receiver = await Receiving.start();
  try {
    const expectations: Expectation[] = [];
    const problems: string[] = [];
    for (let first = 0; first < journals; first += JOURNALS_PER_WAVE) {
      const wave = join(directory, String(first));
      const lives = Array.from({ length: JOURNALS_PER_WAVE }, (_, index) => first + index);
      await leaveJournals(wave, lives, EVENTS_PER_JOURNAL, random);
      expectations.push(...damageAll(wave, random));
      // The number of the heir only has to differ from those of the journals: it tracks nothing itself.
      const heir = new Tracking({
        ...{ baseUrl: receiver.baseUrl, journalDirectory: wave },
        ...{ life: journals + first, seed, total: 0 },
      });
      await heir.finish();
      problems.push(...heir.problems);
    }
    if (expectations.length !== journals)
      problems.push(`${expectations.length} journals were found to damage`);
    const result = await receiver.audit({ expectations, isComplete: true });
    const { expected, lost, duplicates, examples } = result;
    if (duplicates > 0) problems.push(`${duplicates} events arrived more than once`);
    return {
      ...{ tries: journals, durable: expected, lost, duplicates },
      demand: '0 crashes, 0 intact lost, 0 damaged delivered',
      problems: [...examples, ...problems],
    };
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

/** Damages every segment below a directory. Returns which events are still intact. */
function damageAll(directory: string, random: Random): Expectation[] {
  // The names are random: the seed decides which damage an order of lives gets.
  const segments = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.segment'))
    .map((name) => readSegment(join(directory, name)))
    .sort((a, b) => a.life - b.life);
  return segments.map(({ path, original, life }) => {
    const damaged = damage(original, random);
    writeFileSync(path, damaged);
    const frames = readFrames(original);
    const except = frames.flatMap((frame, number) => (isIntact(frame, original, damaged) ? [] : [number]));
    return { life, count: frames.length, except };
  });
}

function readSegment(path: string): { path: string; original: Buffer; life: number } {
  const original = readFileSync(path);
  const { uuid }: { uuid: string } = JSON.parse(readFrames(original)[0]?.text ?? '{}');
  return { path, original, life: lifeOf(uuid) };
}
