import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Receiving } from '../processes/receiving.ts';
import { FAILURES, LASTS } from './failing/failures.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { inLines } from './lines.ts';
import type { Ran, Scenario } from './processes/scenario.ts';
import { ScenarioRunner } from './scenario-runner.ts';

const LINES = 2;
const STEP = { full: 1, quick: 7 };
const MODES = ['always', 'interval'] as const;
/** Failed tries of one kind after which it ends: a general fault need not be shown at every n. */
const MOST_PROBLEMS = 5;

/** The settings that stay the same while `nth` grows. */
type Kind = Pick<Scenario, 'failure' | 'lasts' | 'fsync'>;

const KINDS: readonly Kind[] = FAILURES.flatMap(({ name: failure }) =>
  LASTS.flatMap((lasts) => MODES.map((fsync) => ({ failure, lasts, fsync }))),
);

/**
 * Each disk operation of a journal fails in turn and in every way: alone, from then on for a while, from then on for good. Each
 * accepted event arrives or is reported as dropped, and the stats always add up.
 */
export const nthOperationFails: Fault = { name: 'nth-operation-fails', run };

/** The results of all scenarios together. */
interface Found {
  tries: number;
  accepted: number;
  lost: number;
  duplicates: number;
  dropped: number;
  readonly problems: string[];
}

async function run({ isQuick, directory }: FaultContext): Promise<FaultResult> {
  const step = isQuick ? STEP.quick : STEP.full;
  await using receiver = await Receiving.start();
  const found: Found = { tries: 0, accepted: 0, lost: 0, duplicates: 0, dropped: 0, problems: [] };
  // Every fifth kind. This still covers every failure, every length of time and both modes.
  const waiting = KINDS.filter((_, index) => !isQuick || index % 5 === 0);
  await inLines(LINES, LINES, async () => {
    await using runner = await ScenarioRunner.start(receiver.baseUrl);
    for (let kind = waiting.pop(); kind !== undefined; kind = waiting.pop()) {
      await runKind(kind, step, directory, runner, receiver, found);
    }
  });
  const { tries, accepted, lost, duplicates, dropped, problems } = found;
  const demand = `0 of ${accepted} lost but ${dropped} reported, books add up, no crash, duplicates by lost releases only`;
  return { tries, durable: accepted, lost, duplicates, demand, problems };
}

/** Makes the n-th operation fail, with growing n, until a run has fewer operations. */
async function runKind(
  kind: Kind,
  step: number,
  directory: string,
  runner: ScenarioRunner,
  receiver: Receiving,
  found: Found,
): Promise<void> {
  let wasHit = true;
  let failed = 0;
  for (let nth = 1; wasHit && failed < MOST_PROBLEMS; nth += step) {
    found.tries += 1;
    const life = found.tries;
    const scenario = { ...kind, nth, life, directory: join(directory, String(life)) };
    const ran = await runner.run(scenario);
    wasHit = typeof ran === 'string' || ran.wasHit;
    const problems =
      typeof ran === 'string' ? [`the process ended: ${ran}`] : await check(ran, life, receiver, found);
    if (problems.length > 0) failed += 1;
    const name = `${kind.failure} ${kind.lasts}, fsync ${kind.fsync}, n = ${nth}`;
    found.problems.push(...problems.map((problem) => `${name}: ${problem}`));
    rmSync(scenario.directory, { recursive: true, force: true });
  }
}

/** Compares the report of a scenario with the events that arrived. Returns the problems. */
async function check(ran: Ran, life: number, receiver: Receiving, found: Found): Promise<string[]> {
  const { tracked, durable, dropped, lostRelease } = ran;
  const audit = (count: number) => receiver.audit({ expectations: [{ life, count }], isComplete: false });
  const { lost: missing, repeated, examples } = await audit(tracked);
  const { lost: lostDurable } = await audit(durable);
  const lost = Math.max(lostDurable, missing - dropped);
  found.accepted += tracked;
  found.dropped += dropped;
  found.duplicates += repeated;
  found.lost += lost;
  const problems = [...ran.problems];
  if (lost > 0)
    problems.push(`${missing} lost, ${lostDurable} of them durable, ${dropped} reported: ${examples[0]}`);
  if (repeated > 0 && !lostRelease) problems.push(`${repeated} duplicates, and every release was noted`);
  return problems;
}
