import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Audit, AuditRequest, Expectation } from '../processes/audit.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Receiving } from '../processes/receiving.ts';
import { Emulating } from './emulating.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { sumOf } from './lines.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const KILLS = { full: 1_000, quick: 6 };
/** Long enough for some lives to deliver much, short enough for some to die while they open the journal. */
const LONGEST_LIFE_MS = 300;
const MOST_PER_BURST = 40;
const BATCH_EVENTS = 100;
const CONCURRENT_BATCHES = 4;
/** What was in a request when a process died: it may have arrived, and nobody was left to note it. */
const MOST_REPEATS_PER_KILL = CONCURRENT_BATCHES * BATCH_EVENTS;
const MODES = ['always', 'interval', 'never'] as const;

/**
 * One application after the other on one journal: each finds what the ones before it left, tracks, delivers, and is killed
 * at a random moment; in every third life the service is away, so that what is released before it has arrived is lost for
 * good. The last one delivers what is left. What is written survives in every mode of `fsync`. One line of them delivers to
 * the emulator, the other one to a receiver that knows who sent an event before it came again.
 */
export const sigkill: Fault = { name: 'sigkill', run };

interface Line extends Audit {
  readonly problems: readonly string[];
  /** The most events that came again after the life that had sent them was killed, where that is known. */
  readonly mostRepeatsAfterOne?: number;
}

interface Service {
  readonly apiKey: string;
  baseUrlOf(life: number): string;
  audit(request: AuditRequest): Promise<Omit<Line, 'problems'>>;
}

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const kills = isQuick ? KILLS.quick : KILLS.full;
  await using emulator = await Emulating.start();
  await using receiver = await Receiving.start();
  const services: readonly Service[] = [
    {
      apiKey: emulator.apiKey,
      baseUrlOf: () => emulator.baseUrl,
      audit: (request) => emulator.audit(request),
    },
    {
      apiKey: 'faults-key',
      baseUrlOf: (life) => `${receiver.baseUrl}/sender-${life}`,
      audit: (request) => receiver.audit(request),
    },
  ];
  const lines = await Promise.all(
    services.map((service, line) => {
      const share = Math.floor((kills + line) / services.length);
      return runLine(service, share, seed + line, join(directory, String(line)));
    }),
  );
  const most = Math.max(...lines.map(({ mostRepeatsAfterOne = 0 }) => mostRepeatsAfterOne));
  return {
    tries: kills,
    durable: sumOf(lines, ({ expected }) => expected),
    lost: sumOf(lines, ({ lost }) => lost),
    duplicates: sumOf(lines, ({ duplicates }) => duplicates),
    demand: `0 lost, duplicates <= ${MOST_REPEATS_PER_KILL} for each kill (in flight), seen ${most} at most`,
    problems: lines.flatMap(({ examples, problems }) => [...examples, ...problems]),
  };
}

async function runLine(
  service: Service,
  kills: number,
  seed: number,
  journalDirectory: string,
): Promise<Line> {
  const random = createRandom(seed);
  const start = (life: number, total: number | null) => {
    const fsync = MODES[random(MODES.length)] ?? 'interval';
    // Away for a whole life: a connection that is cut leaves events of which nobody knows whether they arrived.
    const baseUrl = total === null && life % 3 === 1 ? NOBODY : service.baseUrlOf(life);
    return new Tracking({
      ...{ baseUrl, apiKey: service.apiKey, journalDirectory, fsync, life, total },
      ...{ seed: random(2 ** 32), batchEvents: BATCH_EVENTS, mostPerBurst: MOST_PER_BURST },
    });
  };
  const expectations: Expectation[] = [];
  const problems: string[] = [];
  for (let life = 0; life < kills; life += 1) {
    const tracking = start(life, null);
    // Some die while they open, others are sure to have something to lose.
    await (life % 2 === 0 ? tracking.firstDurable : tracking.started);
    await pause(random(LONGEST_LIFE_MS));
    await tracking.kill();
    expectations.push(tracking.expectation);
    problems.push(...tracking.allProblems);
  }
  const heir = start(kills, 0);
  await heir.finish();
  problems.push(...heir.allProblems);
  const found = await service.audit({ expectations, isComplete: false });
  const { duplicates, mostRepeatsAfterOne = 0 } = found;
  if (duplicates > kills * MOST_REPEATS_PER_KILL) problems.push(`${duplicates} duplicates by ${kills} kills`);
  if (mostRepeatsAfterOne > MOST_REPEATS_PER_KILL)
    problems.push(`${mostRepeatsAfterOne} duplicates by one kill`);
  return { ...found, problems };
}
