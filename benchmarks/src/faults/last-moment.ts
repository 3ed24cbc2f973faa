import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { ForkedProcess, launchQuietly } from '../processes/forked-process.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Receiving } from '../processes/receiving.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { inLines } from './lines.ts';
import {
  BATCH_EVENTS,
  ENDINGS,
  type Ending,
  type EndingSettings,
  type EndingTold,
} from './processes/ending.ts';
import { MOST_REQUESTS } from './processes/messages.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const ENDS = { full: 100, quick: 8 };
const LINES = 2;
const LONGEST_LIFE_MS = 120;
/** What is in requests at the end of an application may come again. */
const MOST_REPEATS_PER_END = MOST_REQUESTS * BATCH_EVENTS;
const SCRIPT = new URL('./processes/ending-process.js', import.meta.url);
const MODES = ['never', 'interval', 'always'] as const;

/**
 * Applications end without closing their tracker. No event that they tracked may be lost, in any `fsync` mode, and they must end
 * as they would without a tracker.
 */
export const lastMoment: Fault = {
  name: 'last-moment',
  skipReason: process.platform === 'win32' ? 'there are no signals to handle on Windows' : undefined,
  run,
};

/** The settings of one application, and the events of it that must arrive. */
interface End {
  readonly settings: EndingSettings;
  readonly expectation: Expectation;
}

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const ends = isQuick ? ENDS.quick : ENDS.full;
  await using receiver = await Receiving.start();
  const lines = await inLines(LINES, ends, (line, share) =>
    runLine(line, share, seed, join(directory, String(line)), receiver.baseUrl),
  );
  const all = lines.flatMap((line) => line.ends);
  const problems = lines.flatMap((line) => line.problems);
  const expectations = all.map(({ expectation }) => expectation);
  const { expected, lost, duplicates } = await receiver.audit({ expectations, isComplete: true });
  for (const { expectation, settings } of lost > 0 ? all : []) {
    const { lost, examples } = await receiver.audit({ expectations: [expectation], isComplete: false });
    if (lost > 0)
      problems.push(`${lost} lost by ${settings.ending}, fsync ${settings.fsync}: ${examples.join(', ')}`);
  }
  const mostDuplicates = ends * MOST_REPEATS_PER_END;
  if (duplicates > mostDuplicates)
    problems.push(`${duplicates} duplicates, at most ${mostDuplicates} may be`);
  return {
    ...{ tries: ends, durable: expected, lost, duplicates, problems },
    demand: `0 of all tracked lost, ends as without Sluice, duplicates <= ${mostDuplicates}`,
  };
}

async function runLine(
  line: number,
  ends: number,
  seed: number,
  directory: string,
  baseUrl: string,
): Promise<{ ends: End[]; problems: string[] }> {
  const random = createRandom(seed + line);
  const journalDirectory = join(directory, 'journal');
  mkdirSync(directory);
  const done: End[] = [];
  const problems: string[] = [];
  const endings = Object.keys(ENDINGS) as Ending[];
  for (let number = 0; number < ends; number += 1) {
    const life = number * LINES + line;
    const settings: EndingSettings = {
      ...{ life, seed: random(2 ** 32), journalDirectory, countPath: join(directory, `tracked-${life}`) },
      // For one application in three, on average, the service is away: only written events are left then.
      baseUrl: random(3) === 0 ? NOBODY : baseUrl,
      fsync: MODES[random(MODES.length)] ?? 'never',
      ending: endings[life % endings.length] ?? 'SIGTERM',
      afterMs: random(LONGEST_LIFE_MS),
    };
    const seen = await end(settings);
    const { ending, fsync } = settings;
    const right = ENDINGS[ending];
    if (seen !== right)
      problems.push(`life ${life}, fsync ${fsync}: ${ending} was seen as ${seen}, not ${right}`);
    const count = Number(readFileSync(settings.countPath, 'utf8'));
    done.push({ settings, expectation: { life, count } });
  }
  const heir = new Tracking({ baseUrl, journalDirectory, life: ends * LINES + line, seed, total: 0 });
  await heir.finish();
  return { ends: done, problems: [...problems, ...heir.allProblems] };
}

/** Runs one application to its end. Returns how it ended. */
async function end(settings: EndingSettings): Promise<string> {
  const application = new ForkedProcess<EndingTold>(SCRIPT, settings, [], launchQuietly);
  await application.expect('started');
  const [signal] = settings.ending.split(',');
  if (signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP') {
    await pause(settings.afterMs);
    application.signal(signal);
  }
  return application.ended();
}
