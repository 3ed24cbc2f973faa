import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement, MeasurementContext } from '../measurements/measurement.ts';
import { inRounds } from '../measurements/rounds.ts';
import type { DurableSettings, DurableTold } from '../processes/durable-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { NOBODY } from '../processes/nobody.ts';
import { makeRow, type Row } from '../row.ts';
import { bareEventText } from '../workload/bare-event.ts';
import { sampleEvent } from '../workload/sample-event.ts';
import { bodyOf, Pages } from './pages.ts';
import type { RelaySettings, RelayTold } from './relay-messages.ts';

const RELAY = new URL('./relay-process.js', import.meta.url);
const BARE = new URL('./bare-process.js', import.meta.url);
const DURABLE = new URL('../processes/durable-process.js', import.meta.url);
const BATCH = 500;
const EVENTS = { full: 200_000, quick: 5_000 };
const SINGLES = { full: 40_000, quick: 500 };
const [BATCHES_AT_ONCE, SINGLES_AT_ONCE] = [16, 128];
const SLOW_SOCKETS = { full: 2_000, quick: 50 };
const HONEST = { full: 2_000, quick: 50 };
const HONEST_EVERY_MS = 5;
const DRIP_MS = 1_000;

const SUBJECTS = ['core', 'relay', 'bare'] as const;
type Subject = (typeof SUBJECTS)[number];

/** Events per second, in requests of many and of one; and the milliseconds of a request beside slow sockets. */
type Figures = { readonly [Name in 'batches' | 'singles' | 'slow']?: number };

/** How fast a relay takes events, and whether slow clients hold up others. */
export const relay: Measurement = {
  name: 'relay',
  method:
    'a standalone relay in its own process; nothing listens at the address of its service, so that only its journal works. Clients are in ' +
    `this process, and keep their connections. Requests of ${BATCH} events, ${BATCHES_AT_ONCE} at once, against ` +
    "`durable, fsync: 'always'` in the same round; then requests of one event, " +
    `${SINGLES_AT_ONCE} at once, against a bare node:http server in its own process that reads each request and answers 202, after the ` +
    `same requests of ${BATCH} events. Then ` +
    `${SLOW_SOCKETS.full.toLocaleString('en')} sockets that send one byte a second of a body, and beside them a request of one event every ${HONEST_EVERY_MS} ms: the ` +
    'time until its 202, p99.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const size = context.isQuick ? 'quick' : 'full';
  const ticket = await issueTicket(context);
  const measure: Readonly<Record<Subject, (round: number) => Promise<Figures>>> = {
    core: (round) => measureCore(context, round),
    relay: (round) => measureRelay(ticket, context, round),
    bare: () => measureBare(ticket, context),
  };
  const resultsOf = await inRounds(context.rounds, SUBJECTS, async (subject, round) => {
    const figures = await measure[subject](round);
    const told = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
    context.tell(`relay, round ${round + 1}, ${subject}: ${told.join(', ')}`);
    return figures;
  });
  const values = (subject: Subject, figure: keyof Figures) =>
    resultsOf(subject).map((figures) => figures[figure] ?? Number.NaN);
  return [
    makeRow({
      ...{ name: `relay, requests of ${BATCH} events`, unit: 'events/s', values: values('relay', 'batches') },
      size: { events: EVENTS[size], warmUp: 0 },
      against: { name: "durable, fsync: 'always'", values: values('core', 'batches') },
      demand: { of: 'ratio', bound: 'at least', limit: 0.7 },
    }),
    makeRow({
      ...{ name: 'relay, requests of one event', unit: 'requests/s', values: values('relay', 'singles') },
      size: { events: SINGLES[size], warmUp: EVENTS[size] },
      against: { name: 'a bare server that answers 202', values: values('bare', 'singles') },
      demand: { of: 'ratio', bound: 'at least', limit: 0.6 },
    }),
    makeRow({
      ...{ name: 'relay, p99 beside slow sockets', unit: 'ms', values: values('relay', 'slow') },
      demand: { of: 'value', bound: 'at most', limit: 250 },
    }),
  ];
}

async function measureCore(
  { directory: parent, isQuick, execArgv }: MeasurementContext,
  round: number,
): Promise<Figures> {
  const directory = join(parent, `core-${round}`);
  const events = isQuick ? EVENTS.quick : EVENTS.full;
  const settings: DurableSettings = { store: 'sluice', directory, events, groupEvents: 0 };
  await using process = new ForkedProcess<DurableTold>(DURABLE, settings, execArgv);
  const { elapsedMs, kept } = await process.expect('measured');
  await process.ended();
  if (kept !== events) throw new Error(`relay, core: of ${events} events, it holds ${kept}`);
  rmSync(directory, { recursive: true, force: true });
  return { batches: events / (elapsedMs / 1_000) };
}

/** A ticket of a relay, which counts for all relays here: they have the same secret. */
async function issueTicket({ directory: parent }: MeasurementContext): Promise<string> {
  await using process = startRelay(join(parent, 'ticket'), []);
  const { url } = await process.expect('ready');
  await using pages = new Pages(url, 1);
  return await pages.ticket();
}

async function measureRelay(ticket: string, context: MeasurementContext, round: number): Promise<Figures> {
  const { directory: parent, isQuick, execArgv } = context;
  const size = isQuick ? 'quick' : 'full';
  const directory = join(parent, `relay-${round}`);
  await using process = startRelay(directory, execArgv);
  const { url } = await process.expect('ready');
  await using pages = new Pages(url, SINGLES_AT_ONCE);
  const rates = await measureRequests(pages, ticket, size);
  const slow = await besideSlowSockets(url, pages, bodiesOf(ticket, HONEST[size], 1), SLOW_SOCKETS[size]);
  rmSync(directory, { recursive: true, force: true });
  return { ...rates, slow };
}

async function measureBare(ticket: string, { isQuick, execArgv }: MeasurementContext): Promise<Figures> {
  await using process = new ForkedProcess<RelayTold>(BARE, {}, execArgv);
  const { url } = await process.expect('ready');
  await using pages = new Pages(url, SINGLES_AT_ONCE);
  return await measureRequests(pages, ticket, isQuick ? 'quick' : 'full');
}

function startRelay(directory: string, execArgv: readonly string[]): ForkedProcess<RelayTold> {
  const settings: RelaySettings = { baseUrl: NOBODY, apiKey: 'key', directory };
  return new ForkedProcess<RelayTold>(RELAY, settings, execArgv);
}

async function measureRequests(pages: Pages, ticket: string, size: 'full' | 'quick'): Promise<Figures> {
  const perSecond = async (count: number, events: number, atOnce: number) => {
    const bodies = bodiesOf(ticket, count, events);
    const startedAt = performance.now();
    await pages.sendAll(bodies, atOnce);
    return (count * events) / ((performance.now() - startedAt) / 1_000);
  };
  const batches = await perSecond(EVENTS[size] / BATCH, BATCH, BATCHES_AT_ONCE);
  const singles = await perSecond(SINGLES[size], 1, SINGLES_AT_ONCE);
  return { batches, singles };
}

function bodiesOf(ticket: string, count: number, events: number): readonly string[] {
  const texts = () => Array.from({ length: events }, (_, index) => bareEventText(sampleEvent(index)));
  return Array.from({ length: count }, () => bodyOf(ticket, texts()));
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
