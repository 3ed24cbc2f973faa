import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ChromiumProcess } from '../browser/chromium-process.ts';
import { CHROMIUM } from '../faults/browser/find-chromium.ts';
import type { Measurement, MeasurementContext } from '../measurements/measurement.ts';
import type { EmulatorAsked, EmulatorTold, FeedingTold } from '../processes/emulator-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { makeRow, type Row } from '../row.ts';
import { CUSTOMERS, customerAt } from '../workload/varied-event.ts';
import { admin, type Ready, status } from './admin.ts';
import { SEARCHES, searched } from './searches.ts';

const EMULATOR = new URL('../processes/emulator-process.js', import.meta.url);
const FEEDING = new URL('../processes/feeding-process.js', import.meta.url);
const EVENTS = { full: 1_000_000, quick: 20_000 };
const STARTS = 5;
const LOOK_MS = 250;
const CATCH_UP_MS = 120_000;
/** The emulator knows nine of ten customers. */
const KNOWN_CUSTOMERS = 0.9 * CUSTOMERS;

/** How fast the emulator takes events, how soon a search finds them, and how fast it starts. */
export const emulator: Measurement = {
  name: 'emulator',
  method:
    `one process sends ${EVENTS.full.toLocaleString('en')} events (400 bytes, random uuids) in batches of 500 over two connections, as fast as they are ` +
    `taken, to an emulator with a data directory and ${KNOWN_CUSTOMERS.toLocaleString('en')} of the ${CUSTOMERS.toLocaleString('en')} customers, whose event tracker page is open in Chromium, ` +
    'if there is one. One search comes before, as the index begins with it. The index lags by what is ' +
    `stored and not in it yet, looked at every ${LOOK_MS} ms. Then searches for the newest 100 that match, until all of these are found, medians of ${SEARCHES}, and ` +
    `starts, medians of ${STARTS}: startEmulator(), and the process from its launch on. One round.`,
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const events = context.isQuick ? EVENTS.quick : EVENTS.full;
  const data = join(context.directory, 'data');
  const rows = [
    ...(await fed(data, events, context)),
    ...(await started(`with ${events.toLocaleString('en')} events`, data, context)),
    ...(await started('in memory', undefined, context)),
  ];
  rmSync(data, { recursive: true, force: true });
  return rows;
}

async function fed(data: string, events: number, context: MeasurementContext): Promise<readonly Row[]> {
  const { execArgv, tell, directory } = context;
  await using process = new ForkedProcess<EmulatorTold>(EMULATOR, { data }, execArgv);
  const service = await process.expect('ready');
  await using browser =
    CHROMIUM === undefined ? undefined : await ChromiumProcess.start(CHROMIUM, join(directory, 'profile'));
  const customers = Array.from({ length: KNOWN_CUSTOMERS }, (_, index) => ({ email: customerAt(index) }));
  await admin(service, 'customers', customers);
  // Indexing begins with the first search, which may be the page's: it begins without a page, too.
  await admin(service, 'events');
  const page = await browser?.context.newPage();
  await page?.goto(service.pagesUrl);
  const lags: number[] = [];
  const look = async () => lags.push((await status(service)).unindexed);
  const timer = setInterval(() => void look(), LOOK_MS);
  await using feeding = new ForkedProcess<FeedingTold>(FEEDING, { ...service, events }, execArgv);
  const { elapsedMs, requestMs } = await feeding.expect('fed');
  clearInterval(timer);
  const catchUpMs = await catchUp(service);
  const { unique, received } = await status(service);
  if (unique !== events || received !== events) {
    throw new Error(`of ${events} events, the emulator holds ${unique}, received ${received}`);
  }
  await browser?.kill();
  tell(
    `emulator: ${Math.round(events / (elapsedMs / 1000))} events/s, behind by ${Math.max(...lags)} at most`,
  );
  const sorted = requestMs.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const searches = await searched(service, events);
  await left(process);
  return [
    figure(
      `taken, ${page === undefined ? 'without a page' : 'with the page open'}`,
      'events/s',
      events / (elapsedMs / 1000),
      'at least',
      20_000,
    ),
    figure('a request of 500 events', 'ms', at(0.5)),
    figure('a request of 500 events, p99', 'ms', at(0.99), 'at most', 100),
    figure('the index lags by', 'events', Math.max(0, ...lags)),
    figure('the index has caught up after', 's', catchUpMs / 1000),
    ...searches,
  ];
}

async function started(
  what: string,
  data: string | undefined,
  { execArgv }: MeasurementContext,
): Promise<readonly Row[]> {
  const calls: number[] = [];
  const launches: number[] = [];
  for (let time = 0; time < STARTS; time += 1) {
    const startedAt = performance.now();
    await using process = new ForkedProcess<EmulatorTold>(EMULATOR, { data }, execArgv);
    calls.push((await process.expect('ready')).startMs);
    launches.push(performance.now() - startedAt);
    await left(process);
  }
  const atMost = (limit: number) => ({ of: 'value', bound: 'at most', limit }) as const;
  return [
    makeRow({
      name: `emulator, startEmulator() ${what}`,
      unit: 'ms',
      values: calls,
      demand: atMost(data === undefined ? 200 : 500),
    }),
    makeRow({
      name: `emulator, the process is ready ${what}`,
      unit: 'ms',
      values: launches,
      demand: atMost(1_000),
    }),
  ];
}

/** Lets the process end by itself, so that everything is stored in its files. */
async function left(process: ForkedProcess<EmulatorTold>): Promise<void> {
  process.tell<EmulatorAsked>({ type: 'close' });
  await process.ended();
}

function figure(name: string, unit: string, value: number, bound?: 'at least' | 'at most', limit = 0): Row {
  const figures = { name: `emulator, ${name}`, unit, values: [value] };
  return makeRow(bound === undefined ? figures : { ...figures, demand: { of: 'value', bound, limit } });
}

async function catchUp(service: Ready): Promise<number> {
  const startedAt = performance.now();
  while ((await status(service)).unindexed > 0) {
    if (performance.now() - startedAt > CATCH_UP_MS) throw new Error('the index does not catch up');
    await pause(LOOK_MS / 10);
  }
  return performance.now() - startedAt;
}
