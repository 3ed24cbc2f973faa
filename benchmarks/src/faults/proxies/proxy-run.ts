import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tracker } from '@sluice/core';
import { createTracker } from '@sluice/core/testing';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { scaledClock } from '../processes/scaled-clock.ts';
import { Gate } from './gate.ts';
import type { ProxyKind } from './proxy-kind.ts';
import type { ProxyScenario, Surroundings } from './proxy-scenarios.ts';
import { ProxyServer } from './proxy-server.ts';
import { TrackerWatch, type Watched } from './tracker-watch.ts';

export interface ProxyLoad {
  /** How many waves of events are tracked. */
  readonly waves: number;
  /** Number of events in a wave, which make one batch. */
  readonly perWave: number;
}

/** The result of a scenario: the sender's stats, and the events that arrived, by uuid. */
export interface ProxyRun {
  readonly events: number;
  readonly requests: number;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly lost: number;
  readonly duplicates: number;
  /** How often each failure was seen: answers other than 200 by status, other failures by code. */
  readonly failures: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** What did not hold, one line each. */
  readonly problems: readonly string[];
}

/** In real time, at any speed of the tracker's clock. */
const TIMEOUT_MS = 60_000;
const FLUSH_MS = 300_000;
const WAVE_MS = 10;
/** A sender that adapts has few failures: this many until it has adapted, and then this part of its requests. */
const FIRST_FAILURES = 25;
const FAILING_PART = 0.1;

/** Tracks events through a proxy to the emulator, and compares the numbers at both ends. */
export async function runThroughProxy(
  kind: ProxyKind,
  scenario: ProxyScenario,
  load: ProxyLoad & { readonly directory: string },
): Promise<ProxyRun> {
  const { directory, perWave } = load;
  const startedAt = performance.now();
  await using emulator = await startEmulator({ primaryKey: 'email' });
  await using gate = await Gate.start(Number(new URL(emulator.baseUrl).port));
  const setup = { directory: join(directory, 'proxy'), upstreamPort: gate.port };
  await using proxy = await ProxyServer.start(kind, setup, scenario.rules);
  const { timeScale = 1, batchEvents = perWave } = scenario;
  const tracker = createTracker({
    logger: false,
    ...{ baseUrl: proxy.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email' },
    journalDirectory: join(directory, 'journal'),
    batch: { maxEvents: batchEvents, maxWaitMs: 20 },
    delivery: { timeoutMs: TIMEOUT_MS * timeScale, retryBaseMs: 10, retryMaxMs: 200 },
    ...(timeScale !== 1 && { clock: scaledClock(timeScale) }),
  });
  const watch = new TrackerWatch(tracker);
  const surroundings: Omit<Surroundings, 'progress'> = {
    become: (state) => gate.become(state),
    shown: () => watch.shown(scenario.statuses),
    reload: (rules) => proxy.reload(rules).catch((error: Error) => watch.fail(error)),
  };
  const uuids = await trackAll(tracker, scenario, load, surroundings);
  await tracker.flush({ timeoutMs: FLUSH_MS * timeScale });
  const letters = new Set<unknown>();
  for await (const { event } of tracker.deadLetters.list()) letters.add(event.uuid);
  await tracker.close();
  const balance = await balanceBooks({ uuids, letters, scenario, emulator, ...watch.end() });
  return { ...balance, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Tracks wave after wave, while the scenario disturbs the delivery. Resolves to the uuids. */
async function trackAll(
  tracker: Tracker,
  { disturb, waveMs = WAVE_MS, paddingBytes = 100, oversizedBytes }: ProxyScenario,
  { waves, perWave }: ProxyLoad,
  surroundings: Omit<Surroundings, 'progress'>,
): Promise<string[]> {
  const uuids: string[] = [];
  const track = (bytes: number) => {
    const uuid = numberedUuid(0, uuids.length);
    tracker.track('proxied', { padding: 'x'.repeat(bytes) }, { uuid, correlationValue: 'ada@example.com' });
    uuids.push(uuid);
  };
  for (let wave = 0; wave < waves; wave += 1) {
    await disturb?.({ ...surroundings, progress: wave / waves });
    for (let count = 0; count < perWave; count += 1) track(paddingBytes);
    if (wave === Math.floor(waves / 2) && oversizedBytes) track(oversizedBytes);
    if (waveMs > 0) await pause(waveMs);
  }
  await disturb?.({ ...surroundings, progress: 1 });
  return uuids;
}

interface Books extends Watched {
  readonly uuids: readonly string[];
  /** The uuids of the dead letters. */
  readonly letters: ReadonlySet<unknown>;
  readonly scenario: ProxyScenario;
  readonly emulator: Emulator;
}

/** Compares the sender's stats with the events that arrived, by uuid. */
async function balanceBooks({
  uuids,
  letters,
  scenario,
  emulator,
  stats,
  failures,
  problems,
}: Books): Promise<Omit<ProxyRun, 'seconds'>> {
  const { delivered, deadLettered, pending, maybeDuplicate, requests } = stats;
  const arrived = new Set((await emulator.events()).map(({ uuid }) => uuid));
  const { received } = await emulator.countEvents();
  const duplicates = received - arrived.size;
  const lost = uuids.filter((uuid) => !arrived.has(uuid) && !letters.has(uuid)).length - pending;
  const mustBeDead = scenario.oversizedBytes ? 1 : 0;
  const mostFailed = FIRST_FAILURES + requests.sent * FAILING_PART;
  const demand = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  demand(pending === 0, `${pending} events are left`);
  demand(lost === 0, `${lost} events are lost`);
  demand(delivered === arrived.size, `${delivered} were delivered, ${arrived.size} arrived`);
  demand(letters.size === deadLettered, `${deadLettered} dead letters, ${letters.size} are kept`);
  demand(deadLettered === mustBeDead, `${deadLettered} dead letters, ${mustBeDead} must be`);
  demand(duplicates <= maybeDuplicate, `${duplicates} duplicates, ${maybeDuplicate} may be`);
  demand(requests.failed <= mostFailed, `${requests.failed} of ${requests.sent} requests failed`);
  for (const status of scenario.statuses) {
    demand(failures.has(String(status)), `no request was answered ${status}`);
  }
  return {
    ...{ events: uuids.length, requests: requests.sent, delivered, deadLettered, lost, duplicates },
    ...{ failures, problems },
  };
}
