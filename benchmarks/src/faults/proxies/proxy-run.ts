import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Tracker } from '@sluice/core';
import { startEmulator } from '@sluice/emulator';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { scaledClock } from '../processes/scaled-clock.ts';
import { Gate } from './gate.ts';
import type { ProxyKind } from './proxy-kind.ts';
import type { ProxyScenario } from './proxy-scenarios.ts';
import { ProxyServer } from './proxy-server.ts';

export interface ProxyLoad {
  /** Events are tracked in so many waves. */
  readonly waves: number;
  /** Events of a wave, which are a batch. */
  readonly perWave: number;
}

/** What a scenario came to: the sender's books, and what arrived by uuid. */
export interface ProxyRun {
  readonly events: number;
  readonly requests: number;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly lost: number;
  readonly duplicates: number;
  /** Answers other than 200 by status, and failures by code, with how often each was seen. */
  readonly failures: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** What did not hold, one line each. */
  readonly problems: readonly string[];
}

const FLUSH_MS = 60_000;
const SHOWN_MS = 10_000;
const TICK_MS = 10;
/** The answers of a proxy that do not tell whether the service took the events. */
const UNKNOWN_OUTCOME = ['502', '503', '504'];

/** Tracks events, which go through a proxy to the emulator, and balances the books at both ends. */
export async function runThroughProxy(
  kind: ProxyKind,
  scenario: ProxyScenario,
  { waves, perWave, directory }: ProxyLoad & { readonly directory: string },
): Promise<ProxyRun> {
  const startedAt = performance.now();
  await using emulator = await startEmulator({ primaryKey: 'email' });
  await using gate = await Gate.start(Number(new URL(emulator.baseUrl).port));
  const setup = { directory: join(directory, 'proxy'), upstreamPort: gate.port };
  await using proxy = await ProxyServer.start(kind, setup, scenario.rules);
  const { timeScale = 1, waveMs = TICK_MS, batchEvents = perWave } = scenario;
  const { paddingBytes = 100, oversizedBytes } = scenario;
  const tracker = createTracker({
    ...{ baseUrl: proxy.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email' },
    journalDirectory: join(directory, 'journal'),
    batch: { maxEvents: batchEvents, maxWaitMs: 20 },
    delivery: { retryBaseMs: 10, retryMaxMs: 200 },
    ...(timeScale !== 1 && { clock: scaledClock(timeScale) }),
  });
  const watch = new Watch(tracker);
  const disturb = async (progress: number) => {
    await scenario.disturb?.({
      progress,
      become: (state) => gate.become(state),
      shown: () => watch.shown(scenario.statuses),
      reload: (rules) => proxy.reload(rules).catch((error: Error) => watch.fail(error)),
    });
  };
  const uuids: string[] = [];
  const track = (bytes: number) => {
    const uuid = numberedUuid(0, uuids.length);
    tracker.track('proxied', { padding: 'x'.repeat(bytes) }, { uuid, correlationValue: 'ada@example.com' });
    uuids.push(uuid);
  };
  for (let wave = 0; wave < waves; wave += 1) {
    await disturb(wave / waves);
    for (let count = 0; count < perWave; count += 1) track(paddingBytes);
    if (wave === Math.floor(waves / 2) && oversizedBytes) track(oversizedBytes);
    if (waveMs > 0) await pause(waveMs);
  }
  await disturb(1);
  await tracker.flush({ timeoutMs: FLUSH_MS * timeScale });
  await tracker.close();
  const { problems, failures, stats } = watch.end();
  const arrived = new Set((await emulator.events()).map(({ uuid }) => uuid));
  const { received } = await emulator.countEvents();
  const { delivered, deadLettered, pending, maybeDuplicate, requests } = stats;
  const duplicates = received - arrived.size;
  const lost = uuids.filter((uuid) => !arrived.has(uuid)).length - deadLettered;
  const count = (failure: string) => failures.get(failure) ?? 0;
  const demand = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  demand(pending === 0, `${pending} events are left`);
  demand(lost === 0, `${lost} events are lost`);
  demand(delivered === arrived.size, `${delivered} were delivered, ${arrived.size} arrived`);
  const letters = oversizedBytes ? 1 : 0;
  demand(deadLettered === letters, `${deadLettered} dead letters, ${letters} must be`);
  const unknown = UNKNOWN_OUTCOME.reduce((sum, status) => sum + count(status), 0) * batchEvents;
  const most = maybeDuplicate + unknown;
  demand(duplicates <= most, `${duplicates} duplicates, ${most} may be`);
  for (const status of scenario.statuses) {
    demand(count(String(status)) > 0, `no request was answered ${status}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    ...{ events: uuids.length, requests: requests.sent, delivered, deadLettered, lost, duplicates },
    ...{ failures, seconds, problems },
  };
}

/** Watches a tracker: what failed, and whether its books add up all the time. */
class Watch {
  readonly #tracker: Tracker;
  readonly #timer: NodeJS.Timeout;
  readonly #problems: string[] = [];
  readonly #failures = new Map<string, number>();

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    this.#timer = setInterval(() => this.#checkBooks(), TICK_MS);
    tracker.on('failedAttempt', ({ error }) => {
      const failure = String(error.status ?? codeOf(error));
      this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
    });
    tracker.on('dropped', ({ reason, count }) => this.#problems.push(`dropped ${count} events: ${reason}`));
    tracker.on('storageFailed', ({ error }) => this.fail(error));
  }

  /** Resolves once each of these answers was seen, or without any a failure; or when that takes too long. */
  async shown(statuses: readonly number[]): Promise<void> {
    const isShown = () =>
      this.#failures.size > 0 && statuses.every((status) => this.#failures.has(String(status)));
    for (const end = Date.now() + SHOWN_MS; !isShown() && Date.now() < end; ) await pause(TICK_MS);
  }

  fail({ message }: Error): void {
    this.#problems.push(message);
  }

  end() {
    clearInterval(this.#timer);
    this.#checkBooks();
    return { problems: this.#problems, failures: this.#failures, stats: this.#tracker.stats() };
  }

  #checkBooks(): void {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.#tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    if (accepted + recovered === delivered + deadLettered + lost + pending) return;
    const books = `${accepted} + ${recovered} = ${delivered} + ${deadLettered} + ${lost} + ${pending}`;
    this.#problems.push(`the books do not add up: ${books}`);
  }
}

/** The code of what went wrong first, below what was made of it. */
function codeOf(error: Error): unknown {
  const { cause } = error;
  if (cause instanceof Error) return codeOf(cause);
  return Reflect.get(error, 'code');
}
