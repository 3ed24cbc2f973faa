import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CoreUnderTest } from './core-under-test.ts';
import type { Failure, Simulated, SimulatingSettings } from './processes/messages.ts';
import { Schedule } from './schedule.ts';

/** Runs schedules, each with its own seed. Schedule 0 has the seed of the run, so that each can be run again as the first. */
export async function simulate(
  core: CoreUnderTest,
  { seed, first, step, count, mostFailures, logDirectory }: Omit<SimulatingSettings, 'core'>,
): Promise<Simulated> {
  const failures: Failure[] = [];
  let [schedules, durable, lost, duplicates] = [0, 0, 0, 0];
  for (let number = first; number < count && failures.length < mostFailures; number += step) {
    const own = (seed + number) % 2 ** 32;
    const verdict = await runAlone(new Schedule(core, own));
    schedules += 1;
    durable += verdict.durable;
    lost += verdict.lost;
    duplicates += verdict.duplicates;
    const { problems } = verdict;
    if (problems.length === 0) continue;
    const log = logDirectory && join(logDirectory, `sluice-schedule-${own}.log`);
    if (log) await record(core, own, log);
    failures.push({ schedule: number, seed: own, problems, log });
  }
  return { schedules, durable, lost, duplicates, failures };
}

/** Runs a schedule once more, and writes its log. */
async function record(core: CoreUnderTest, seed: number, path: string): Promise<void> {
  const lines: string[] = [];
  const { problems } = await runAlone(new Schedule(core, seed, (line) => lines.push(line)));
  writeFileSync(path, [...lines, ...problems, ''].join('\n'));
}

/** Runs a schedule. Rejections that nobody handles are its problems. */
async function runAlone(schedule: Schedule): Promise<Awaited<ReturnType<Schedule['run']>>> {
  const unhandled: string[] = [];
  const note = (reason: unknown) => void unhandled.push(`a rejection was not handled: ${String(reason)}`);
  process.on('unhandledRejection', note);
  try {
    const verdict = await schedule.run();
    // Node emits them only after the current work.
    await new Promise((resolve) => setImmediate(resolve));
    return { ...verdict, problems: [...verdict.problems, ...unhandled] };
  } finally {
    process.off('unhandledRejection', note);
  }
}
