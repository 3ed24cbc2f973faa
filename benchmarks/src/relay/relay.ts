import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement, MeasurementContext } from '../measurements/measurement.ts';
import type { DurableSettings, DurableTold } from '../processes/durable-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { NOBODY } from '../processes/nobody.ts';
import { makeRow, type Row } from '../row.ts';
import { bareEventText } from '../workload/bare-event.ts';
import { sampleEvent } from '../workload/sample-event.ts';
import { bodyOf, Pages } from './pages.ts';
import type { RelayTold } from './relay-messages.ts';

const RELAY = new URL('./relay-process.js', import.meta.url);
const DURABLE = new URL('../processes/durable-process.js', import.meta.url);
const BATCH = 500;
const EVENTS = { full: 200_000, quick: 5_000 };
const SINGLES = { full: 40_000, quick: 500 };
const [BATCHES_AT_ONCE, SINGLES_AT_ONCE] = [16, 128];
const SLOW_SOCKETS = { full: 2_000, quick: 50 };
const HONEST = { full: 2_000, quick: 50 };
const HONEST_EVERY_MS = 5;
const DRIP_MS = 1_000;

type Figure = 'batches' | 'core' | 'singles' | 'bare' | 'slow';

/** How fast a relay takes events, and whether slow clients hold up others. */
export const relay: Measurement = {
  name: 'relay',
  method:
    'a standalone relay in its own process; nothing listens at the address of its service, so that only its journal works. Clients are in ' +
    `this process, and keep their connections. Requests of ${BATCH} events, ${BATCHES_AT_ONCE} at once, against ` +
    "`durable, fsync: 'always'` in the same round; requests of one event, " +
    `${SINGLES_AT_ONCE} at once, against a bare node:http server that reads each request and answers 202. Then ` +
    `${SLOW_SOCKETS.full.toLocaleString('en')} sockets that send one byte a second of a body, and beside them a request of one event every ${HONEST_EVERY_MS} ms: the ` +
    'time until its 202, p99.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { rounds, isQuick, tell } = context;
  const values: Record<Figure, number[]> = { batches: [], core: [], singles: [], bare: [], slow: [] };
  for (let round = 0; round < rounds; round += 1) {
    const measured = { core: await measureCore(context, round), ...(await measureRelay(context, round)) };
    for (const [name, value] of Object.entries(measured)) values[name as Figure].push(value);
    tell(
      `relay, round ${round + 1}: ${JSON.stringify(measured, (_, one) => (typeof one === 'number' ? Math.round(one) : one))}`,
    );
  }
  const sizes = isQuick ? 'quick' : 'full';
  const [events, singles] = [EVENTS, SINGLES].map((size) => ({ events: size[sizes], warmUp: 0 }));
  const ratio = (limit: number) => ({ of: 'ratio', bound: 'at least', limit }) as const;
  return [
    makeRow({
      ...{
        name: `relay, requests of ${BATCH} events`,
        unit: 'events/s',
        values: values.batches,
        demand: ratio(0.7),
      },
      ...(events && { size: events }),
      against: { name: "durable, fsync: 'always'", values: values.core },
    }),
    makeRow({
      ...{
        name: 'relay, requests of one event',
        unit: 'requests/s',
        values: values.singles,
        demand: ratio(0.6),
      },
      ...(singles && { size: singles }),
      against: { name: 'a bare server that answers 202', values: values.bare },
    }),
    makeRow({
      ...{ name: 'relay, p99 beside slow sockets', unit: 'ms', values: values.slow },
      demand: { of: 'value', bound: 'at most', limit: 250 },
    }),
  ];
}

async function measureCore(
  { directory: parent, isQuick, execArgv }: MeasurementContext,
  round: number,
): Promise<number> {
  const directory = join(parent, `core-${round}`);
  const events = isQuick ? EVENTS.quick : EVENTS.full;
  const settings: DurableSettings = { store: 'sluice', directory, events, groupEvents: 0 };
  await using process = new ForkedProcess<DurableTold>(DURABLE, settings, execArgv);
  const { elapsedMs } = await process.expect('measured');
  await process.ended();
  rmSync(directory, { recursive: true, force: true });
  return events / (elapsedMs / 1_000);
}

async function measureRelay({ directory: parent, isQuick, execArgv }: MeasurementContext, round: number) {
  const size = isQuick ? 'quick' : 'full';
  const directory = join(parent, `relay-${round}`);
  await using process = new ForkedProcess<RelayTold>(
    RELAY,
    { baseUrl: NOBODY, apiKey: 'key', directory },
    execArgv,
  );
  const { url, bareUrl } = await process.expect('ready');
  await using pages = new Pages(url, SINGLES_AT_ONCE);
  await using others = new Pages(bareUrl, SINGLES_AT_ONCE);
  const ticket = await pages.ticket();
  const bodies = (count: number, events: number) =>
    Array.from({ length: count }, () =>
      bodyOf(
        ticket,
        Array.from({ length: events }, (_, index) => textOf(index)),
      ),
    );
  const perSecond = async (to: Pages, all: readonly string[], atOnce: number, events: number) => {
    const startedAt = performance.now();
    await to.sendAll(all, atOnce);
    return (all.length * events) / ((performance.now() - startedAt) / 1_000);
  };
  const batches = await perSecond(pages, bodies(EVENTS[size] / BATCH, BATCH), BATCHES_AT_ONCE, BATCH);
  const singles = await perSecond(pages, bodies(SINGLES[size], 1), SINGLES_AT_ONCE, 1);
  const bare = await perSecond(others, bodies(SINGLES[size], 1), SINGLES_AT_ONCE, 1);
  const slow = await besideSlowSockets(url, pages, bodies(HONEST[size], 1), SLOW_SOCKETS[size]);
  rmSync(directory, { recursive: true, force: true });
  return { batches, singles, bare, slow };
}

async function besideSlowSockets(
  url: string,
  pages: Pages,
  bodies: readonly string[],
  count: number,
): Promise<number> {
  const { hostname, port, host, origin } = new URL(url);
  const head = `POST /s HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(head);
  }
  const dripping = setInterval(() => {
    for (const socket of sockets) socket.write(' ');
  }, DRIP_MS);
  const tookMs: number[] = [];
  const sent = bodies.map(async (body, index) => {
    await pause(index * HONEST_EVERY_MS);
    const startedAt = performance.now();
    if (!(await pages.send(body))) throw new Error('the relay refused an honest request');
    tookMs.push(performance.now() - startedAt);
  });
  await Promise.all(sent);
  clearInterval(dripping);
  for (const socket of sockets) socket.destroy();
  return tookMs.toSorted((one, other) => one - other)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}

function textOf(number: number): string {
  return bareEventText(sampleEvent(number));
}
