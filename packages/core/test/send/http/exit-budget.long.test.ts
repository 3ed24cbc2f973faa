import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const core = new URL('../../../dist/index.js', import.meta.url).href;

let server: ReturnType<typeof createServer>;
let baseUrl = '';
/** Called with each request. */
let answer: (response: ServerResponse) => void = () => {};

beforeEach(async () => {
  server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * Runs a process that tracks, and has nothing else to do as soon as its request is under way. Returns how many events were delivered,
 * and how many requests failed.
 *
 * @param slowness How many times as long its timers run: a busy machine may take longer to answer than the budget.
 */
async function run(exitBudgetMs: number | undefined, slowness = 1): Promise<unknown> {
  const code = `
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (callback, ms) => setTimeout(callback, ${slowness} * ms);
    const { createTracker } = await import(${JSON.stringify(core)});
    const tracker = createTracker({
      baseUrl: ${JSON.stringify(baseUrl)}, correlationKey: 'email', journal: 'memory',
      batch: { maxEvents: 1 }, exitBudgetMs: ${exitBudgetMs},
    });
    tracker.track('purchase', {}, { correlationValue: 'ada@example.com' });
    const waiting = setInterval(() => tracker.stats().inFlight > 0 && clearInterval(waiting), 1);
    process.on('exit', () => console.log(JSON.stringify([tracker.stats().delivered, tracker.stats().requests.failed])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return JSON.parse(stdout);
}

describe('a pending request', () => {
  it('keeps a process alive that has nothing else to do, until it is answered', async () => {
    answer = (response) => setTimeout(() => response.end('{}'), 200);
    expect(await run(undefined, 100)).toEqual([1, 0]);
    expect(await run(60_000)).toEqual([1, 0]);
  });

  it.each([0, 100])(
    'of a service that hangs does not, longer than %i ms if that is the budget',
    async (budget) => {
      answer = () => {};
      expect(await run(budget)).toEqual([0, 0]);
    },
  );
});
