import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableSettings, DurableTold } from '../processes/durable-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BacklogTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { spreadOf } from '../spread.ts';
import type { StoreName } from '../stores/open-store.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/durable-process.js', import.meta.url);
const RECOVERING = new URL('../processes/recovering-process.js', import.meta.url);
const EVENTS = { full: 200_000, quick: 20_000 };
/** Sizes of a commit, in events. Each peer is measured with the size that is best for it. */
const GROUPS = { full: [500, 1_000, 5_000, 10_000], quick: [5_000] };
/** How often each size is tried. */
const TRIES = { full: 3, quick: 1 };
/** The peers of Sluice, the name of their commits, and the smallest allowed ratio. */
const PEERS = [
  { store: 'bare', name: 'the bare loop', commits: 'syncs', limit: 0.8 },
  { store: 'sqlite', name: 'SQLite', commits: 'transactions', limit: 1 },
  { store: 'level', name: 'classic-level', commits: 'batches', limit: 1 },
  { store: 'lmdb', name: 'lmdb', commits: 'batches', limit: 1 },
] as const;
const SLUICE = "fsync: 'always'";

/** A store as it is measured. Sluice and pino choose their groups themselves. */
interface Candidate {
  readonly store: StoreName;
  readonly groupEvents: number;
}

interface Stored {
  readonly perSecond: number;
  readonly commits: number;
}

/** How fast events become durable: in Sluice, in a plain file, and in stores that an application could use instead. */
export const durable: Measurement = {
  name: 'durable',
  method:
    `${EVENTS.full.toLocaleString('en')} events in turns of 500 with setImmediate between them, in a fresh process without warm-up; the clock stops ` +
    "when all are on the disk. Sluice: `fsync: 'always'`, to durable(); nothing listens at its address, so that only the journal " +
    'works, and afterwards another process delivers that journal to the receiver, which counts. All others make the same ' +
    'envelope and text. The bare loop writes all lines that came meanwhile with one write and one fdatasync, and the next ' +
    'group while the last one is synced. SQLite (libsql): WAL, FULL, exclusive, pages of 16 KiB, a checkpoint every 64 MiB. ' +
    'classic-level: chained batches with sync, several under way, not compressed. lmdb: batches, and its `flushed`. pino: to a file, not durable. ' +
    `Each peer commits groups of the size at which it is fastest on this machine: of ${GROUPS.full.map((events) => events.toLocaleString('en')).join(', ')}, ` +
    `the one with the best median of ${TRIES.full} tries before the rounds. Syncs are calls of fdatasync; LevelDB and LMDB may ` +
    'sync several batches at once.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const receiver = await Receiving.start();
  const store = (candidate: Candidate, round: number) => storeOnce(candidate, round, receiver, context);
  try {
    const best = await bestGroups(context, store);
    const sluice: Candidate = { store: 'sluice', groupEvents: 0 };
    const pino: Candidate = { store: 'pino', groupEvents: 0 };
    const resultsOf = await inRounds(context.rounds, [...best.values(), sluice, pino], store);
    const speeds = (candidate: Candidate) => resultsOf(candidate).map(({ perSecond }) => perSecond);
    const size = { events: eventsOf(context), warmUp: 0 };
    const speed = (name: string, candidate: Candidate) => ({
      ...{ name: `durable, ${name}`, unit: 'events/s', values: speeds(candidate), size },
    });
    const commits = (name: string, candidate: Candidate, unit: string) => ({
      ...{ name: `durable, ${unit} of ${name}`, unit, size },
      values: resultsOf(candidate).map((stored) => stored.commits),
    });
    return [
      makeRow(speed(SLUICE, sluice)),
      makeRow(commits(SLUICE, sluice, 'syncs')),
      ...[...best].flatMap(([peer, candidate]) => {
        const { name, limit } = peer;
        const groups = `${name}, groups of ${candidate.groupEvents.toLocaleString('en')}${peer.store === 'bare' ? ' or more' : ''}`;
        return [
          makeRow(speed(groups, candidate)),
          makeRow(commits(name, candidate, peer.commits)),
          makeRow({
            ...speed(`${SLUICE}, against ${name}`, sluice),
            against: { name, values: speeds(candidate) },
            demand: { of: 'ratio', bound: 'at least', limit },
          }),
        ];
      }),
      makeRow(speed('pino to a file (not durable)', pino)),
    ];
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

/** Tries all sizes of groups with all peers, and returns the best size of each. */
async function bestGroups(
  { isQuick, tell }: MeasurementContext,
  store: (candidate: Candidate, round: number) => Promise<Stored>,
): Promise<ReadonlyMap<(typeof PEERS)[number], Candidate>> {
  const candidates = PEERS.flatMap((peer) =>
    (isQuick ? GROUPS.quick : GROUPS.full).map((groupEvents) => ({ peer, store: peer.store, groupEvents })),
  );
  const resultsOf = await inRounds(isQuick ? TRIES.quick : TRIES.full, candidates, store);
  const best = new Map<(typeof PEERS)[number], Candidate>();
  let fastest = 0;
  for (const candidate of candidates) {
    const { peer, groupEvents } = candidate;
    const { median } = spreadOf(resultsOf(candidate).map(({ perSecond }) => perSecond));
    tell(`durable, ${peer.name}, groups of ${groupEvents}: ${Math.round(median)} events/s in the tries`);
    if (!best.has(peer)) fastest = 0;
    if (median <= fastest) continue;
    fastest = median;
    best.set(peer, candidate);
  }
  return best;
}

async function storeOnce(
  { store, groupEvents }: Candidate,
  round: number,
  receiver: Receiving,
  context: MeasurementContext,
): Promise<Stored> {
  const { directory: parent, execArgv, tell } = context;
  const events = eventsOf(context);
  const directory = join(parent, `${store}-${groupEvents}-${round}`);
  const settings: DurableSettings = { store, directory, events, groupEvents };
  await using process = new ForkedProcess<DurableTold>(SCRIPT, settings, execArgv);
  const { elapsedMs, kept, commits } = await process.expect('measured');
  await process.ended();
  if (kept !== events) throw new Error(`durable, ${store}: of ${events} events, it holds ${kept}`);
  if (store === 'sluice') await checkJournal(directory, events, receiver);
  rmSync(directory, { recursive: true, force: true });
  const perSecond = events / (elapsedMs / 1000);
  tell(`durable, round ${round + 1}, ${store}: ${Math.round(perSecond)} events/s, ${commits} commits`);
  return { perSecond, commits };
}

/** Checks the content of a journal: another process delivers it. */
async function checkJournal(journalDirectory: string, events: number, receiver: Receiving): Promise<void> {
  const settings = { baseUrl: receiver.baseUrl, journalDirectory, events };
  await using recovering = new ForkedProcess<BacklogTold>(RECOVERING, settings);
  await recovering.expect('delivered');
  await recovering.ended();
  await checkArrival(receiver, events, 'durable, sluice');
}

function eventsOf({ isQuick }: MeasurementContext): number {
  return isQuick ? EVENTS.quick : EVENTS.full;
}
