import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Audit, AuditRequest, Expectation } from '../processes/audit.ts';
import { NOBODY } from '../processes/nobody.ts';
import { Receiving } from '../processes/receiving.ts';
import { Emulating } from './emulating.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { sumOf } from './lines.ts';
import { MOST_REQUESTS } from './processes/messages.ts';
import { createRandom } from './random.ts';
import { Tracking } from './tracking.ts';

const KILLS = { full: 1_000, quick: 4 };
/** Long enough that some processes deliver much, short enough that some are killed while they open the journal. */
const LONGEST_LIFE_MS = 300;
const MOST_PER_BURST = 40;
const BATCH_EVENTS = 100;
/** Events in requests when a process is killed: they may have arrived, and no process recorded that. */
const MOST_REPEATS_PER_KILL = MOST_REQUESTS * BATCH_EVENTS;
const MODES = ['always', 'interval', 'never'] as const;

/**
 * One application after the other uses the same journal. Each finds the events of those before it, tracks, delivers, and is
 * killed at a random moment. For every third one the service is away: an event that is released before it has arrived is then
 * lost for good. The last one delivers the remaining events. Written events survive in every mode of `fsync`. One line delivers
 * to the emulator, the other one to a receiver that knows which process had sent an event before it came again.
 */
export const sigkill: Fault = { name: 'sigkill', run };

interface Line extends Audit {
  readonly problems: readonly string[];
  /** The most events that came again because one process was killed, if that is known. */
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
    // Away for a whole life: after a cut connection, nobody would know which events have arrived.
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
    // Some are killed while they open the journal, the others certainly have durable events.
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
