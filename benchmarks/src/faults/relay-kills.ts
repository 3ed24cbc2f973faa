import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation } from '../processes/audit.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { numberedUuid } from '../processes/numbered-uuid.ts';
import { bodyOf, Pages } from '../relay/pages.ts';
import type { RelayTold } from '../relay/relay-messages.ts';
import { bareEvent } from '../workload/bare-event.ts';
import { sampleEvent } from '../workload/sample-event.ts';
import { Emulating } from './emulating.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom } from './random.ts';

const SCRIPT = new URL('../relay/relay-process.js', import.meta.url);
const KILLS = { full: 200, quick: 4 };
const PAGES = 16;
const EVENTS = 5;
const LONGEST_LIFE_MS = 400;
const DELIVER_MS = 300_000;
/** Names what the relay must not take twice, beside the events. */
const PARCEL = 0xffff_ffff;

/** Events that a page has sent, and nobody has answered for yet. */
interface Unanswered {
  readonly body: string;
  readonly life: number;
  readonly numbers: readonly number[];
}

/**
 * A relay is killed under load at a random moment, again and again. Pages send to the next one, with the same bytes, what was not
 * answered. No event that was answered with 202 is lost. One may arrive twice only if a request was in progress at a kill.
 */
export const relayKills: Fault = { name: 'relay-kills', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const kills = isQuick ? KILLS.quick : KILLS.full;
  await using emulator = await Emulating.start();
  const random = createRandom(seed);
  const { baseUrl, apiKey } = emulator;
  const open: Set<number>[] = [];
  const counts: number[] = [];
  let left: Unanswered[] = [];
  for (let life = 0; life <= kills; life += 1) {
    await using process = new ForkedProcess<RelayTold>(SCRIPT, { baseUrl, apiKey, directory });
    const { url } = await process.expect('ready');
    await using pages = new Pages(url, PAGES);
    const ticket = await pages.ticket();
    const again = left;
    left = [];
    counts.push(0);
    open.push(new Set());
    const isLast = life === kills;
    let isKilled = false;
    const next = (): Unanswered => {
      const first = counts[life] ?? 0;
      counts[life] = first + EVENTS;
      const numbers = Array.from({ length: EVENTS }, (_, index) => first + index);
      for (const number of numbers) open[life]?.add(number);
      const texts = numbers.map((number) => {
        return JSON.stringify({ ...bareEvent(sampleEvent(number)), uuid: numberedUuid(life, number) });
      });
      return { body: bodyOf(ticket, texts, numberedUuid(PARCEL - life, first)), life, numbers };
    };
    const send = async (): Promise<void> => {
      while (!isKilled) {
        const one = again.pop() ?? (isLast ? undefined : next());
        if (one === undefined) return;
        const isTaken = await pages.send(one.body).catch(() => false);
        if (!isTaken) left.push(one);
        else for (const number of one.numbers) open[one.life]?.delete(number);
      }
    };
    const sending = Promise.all(Array.from({ length: PAGES }, send));
    if (isLast) {
      await sending;
      return await result(emulator, kills, expectationsOf(counts, open), left);
    }
    await pause(random(LONGEST_LIFE_MS));
    isKilled = true;
    process.signal('SIGKILL');
    await process.ended();
    await sending;
    left.push(...again);
  }
  throw new Error('the last relay is not killed');
}

/** What has arrived, once all has, or it takes too long. */
async function result(
  emulator: Emulating,
  tries: number,
  expectations: readonly Expectation[],
  left: readonly Unanswered[],
): Promise<FaultResult> {
  const deadline = performance.now() + DELIVER_MS;
  let found = await emulator.audit({ expectations, isComplete: false });
  while (found.lost > 0 && performance.now() < deadline) {
    await pause(LONGEST_LIFE_MS);
    found = await emulator.audit({ expectations, isComplete: false });
  }
  const { expected: durable, lost, duplicates, examples } = found;
  const demand = '0 lost of those that were answered with 202';
  const problems = [...examples, ...left.map(({ body }) => `never taken: ${body.slice(0, 80)}`)];
  return { tries, durable, lost, duplicates, demand, problems };
}

function expectationsOf(counts: readonly number[], open: readonly Set<number>[]): Expectation[] {
  return counts.map((count, life) => ({ life, count, except: [...(open[life] ?? [])] }));
}
