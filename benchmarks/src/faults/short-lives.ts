import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTracker } from '@sluice/core';
import type { Batch } from '@sluice/protocol';
import type { Fault, FaultContext, FaultResult } from './fault.ts';

const LIVES = { full: 20, quick: 3 };
const WORK_MS = 250;
/** Longer than a process lives. A quick run has to share the processor: its processes take longer to end. */
const ANSWER_MS = { full: 400, quick: 2_000 };
const MOST_REQUESTS = 4;
/** A quick run shows only that the end waits for no answer. */
const MOST_END_MS = { full: 5, quick: ANSWER_MS.quick / 2 };
/** A process that drains ends earlier. */
const PATIENCE_MS = 60_000;
const SCRIPT = fileURLToPath(new URL('./processes/short-life-process.js', import.meta.url));

/**
 * A command-line tool runs again and again. It ends before the service answers. In the end a process that lives for longer delivers
 * what is left, or the processes that the tool starts did.
 */
export const shortLives: Fault = { name: 'short-lives', run };

async function run({ isQuick, directory }: FaultContext): Promise<FaultResult> {
  const size = isQuick ? 'quick' : 'full';
  const lives = LIVES[size];
  const mostEndMs = MOST_END_MS[size];
  const details: string[][] = [
    ['what is left is delivered', 'lives', 'events twice', 'requests', 'median end'],
  ];
  const problems: string[] = [];
  let lost = 0;
  let duplicates = 0;
  for (const drains of [false, true]) {
    const how = drains ? 'in the background' : 'by the last life';
    const journalDirectory = join(directory, how);
    const service = await SlowService.start(ANSWER_MS[size]);
    const ends: number[] = [];
    for (let life = 0; life < lives; life += 1)
      ends.push(await live(service.baseUrl, journalDirectory, life, drains));
    if (drains) await service.hasSeen(lives);
    else await deliver(service.baseUrl, journalDirectory);
    await service.close();
    const twice = [...service.seen.values()].filter((count) => count > 1).length;
    const endMs = ends.sort((one, two) => one - two)[Math.floor(ends.length / 2)] ?? 0;
    lost += lives - service.seen.size;
    duplicates += twice;
    if (twice > 0) problems.push(`${twice} events arrived twice, delivered ${how}`);
    if (service.requests > MOST_REQUESTS) problems.push(`${service.requests} requests, delivered ${how}`);
    if (endMs > mostEndMs && !drains) problems.push(`Sluice takes ${endMs.toFixed(1)} ms of the end`);
    details.push([how, String(lives), String(twice), String(service.requests), `${endMs.toFixed(1)} ms`]);
  }
  return {
    ...{ tries: 2 * lives, durable: 2 * lives, lost, duplicates, details, problems },
    demand: `each event once, at most ${MOST_REQUESTS} requests, at most ${mostEndMs} ms more at the end`,
  };
}

/** Returns how long the tool took to end, in milliseconds. */
async function live(baseUrl: string, directory: string, life: number, drains: boolean): Promise<number> {
  const args = [SCRIPT, baseUrl, directory, String(life), String(WORK_MS), drains ? 'drains' : 'leaves'];
  const tool = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await Promise.all([text(tool.stdout), once(tool, 'close')]);
  return Number(printed);
}

async function deliver(baseUrl: string, journalDirectory: string): Promise<void> {
  const tracker = createTracker({
    baseUrl,
    apiKey: 'key',
    correlationKey: 'email',
    journalDirectory,
    logger: false,
  });
  await tracker.close({ timeoutMs: PATIENCE_MS });
}

/** Answers late, and counts what arrives. */
class SlowService {
  /** How often each event arrived, by its uuid. */
  readonly seen = new Map<string, number>();
  requests = 0;
  readonly #answerMs: number;
  readonly #server = createServer(async (request, response) => {
    const { batch } = (await json(request)) as Batch;
    this.requests += 1;
    for (const { uuid = '' } of batch) this.seen.set(uuid, (this.seen.get(uuid) ?? 0) + 1);
    await pause(this.#answerMs);
    response.end('{}');
  });

  private constructor(answerMs: number) {
    this.#answerMs = answerMs;
  }

  static async start(answerMs: number): Promise<SlowService> {
    const service = new SlowService(answerMs);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async hasSeen(events: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS && this.seen.size < events; waitedMs += 50) await pause(50);
    await pause(2 * this.#answerMs);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
