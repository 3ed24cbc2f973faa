import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableSettings, DurableTold } from '../processes/durable-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BacklogTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import type { StoreName } from '../stores/store.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/durable-process.js', import.meta.url);
const RECOVERING = new URL('../processes/recovering-process.js', import.meta.url);
const EVENTS = { full: 200_000, quick: 20_000 };
const STORES: readonly StoreName[] = ['bare', 'sluice', 'sqlite', 'level', 'lmdb', 'pino'];
/** What Sluice is held against, and the least ratio. */
const PEERS = [
  { store: 'bare', name: 'the bare loop', limit: 0.8 },
  { store: 'sqlite', name: 'SQLite', limit: 1 },
  { store: 'level', name: 'classic-level', limit: 1 },
  { store: 'lmdb', name: 'lmdb', limit: 1 },
] as const;

/** How fast events become durable: in Sluice, in a file of one's own, and in the stores that one could take instead. */
export const durable: Measurement = {
  name: 'durable',
  method:
    '200,000 events in turns of 500 with setImmediate between them; the clock stops when all are on the disk. Sluice: ' +
    "`fsync: 'always'`, to durable(); nothing listens at its address, so that only the journal works, and afterwards another " +
    'process delivers that journal to the receiver, which counts. All others make the same envelope and text. The bare loop: ' +
    'write and fdatasync of pieces of 256 KiB, the next made while the last is on its way. SQLite (libsql): WAL, FULL, ' +
    'exclusive, pages of 16 KiB, a checkpoint every 64 MiB, a transaction for each turn. classic-level: a chained batch with ' +
    'sync for each turn, not compressed. lmdb: a batch for each turn, and its `flushed`. pino: to a file, not durable. ' +
    'These were the fastest settings found.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const events = context.isQuick ? EVENTS.quick : EVENTS.full;
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, STORES, (store, round) =>
      storeOnce(store, round, events, receiver, context),
    );
    return rows(resultsOf);
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function storeOnce(
  store: StoreName,
  round: number,
  events: number,
  receiver: Receiving,
  { directory: parent, execArgv, tell }: MeasurementContext,
): Promise<number> {
  const directory = join(parent, `${store}-${round}`);
  const settings: DurableSettings = { store, directory, events };
  await using process = new ForkedProcess<DurableTold>(SCRIPT, settings, execArgv);
  const { elapsedMs, kept } = await process.expect('measured');
  await process.ended();
  if (kept !== events) throw new Error(`durable, ${store}: of ${events} events, it holds ${kept}`);
  if (store === 'sluice') await checkJournal(directory, events, receiver);
  rmSync(directory, { recursive: true, force: true });
  const perSecond = events / (elapsedMs / 1000);
  tell(`durable, round ${round + 1}, ${store}: ${Math.round(perSecond)} events/s`);
  return perSecond;
}

/** What a journal holds is what another process delivers from it. */
async function checkJournal(journalDirectory: string, events: number, receiver: Receiving): Promise<void> {
  const settings = { baseUrl: receiver.baseUrl, journalDirectory, events };
  await using recovering = new ForkedProcess<BacklogTold>(RECOVERING, settings);
  await recovering.expect('delivered');
  await recovering.ended();
  await checkArrival(receiver, events, 'durable, sluice');
}

function rows(speedOf: (store: StoreName) => readonly number[]): readonly Row[] {
  const alone = (store: StoreName, name: string) =>
    makeRow({ name: `durable, ${name}`, unit: 'events/s', values: speedOf(store) });
  return [
    ...PEERS.flatMap(({ store, name, limit }) => [
      alone(store, name),
      makeRow({
        name: `durable, fsync: 'always', against ${name}`,
        unit: 'events/s',
        values: speedOf('sluice'),
        against: { name, values: speedOf(store) },
        demand: { of: 'ratio', bound: 'at least', limit },
      }),
    ]),
    alone('pino', 'pino to a file (not durable)'),
  ];
}
