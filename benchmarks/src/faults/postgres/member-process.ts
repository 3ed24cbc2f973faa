// A process of the fleet: it tracks or inserts numbered events, and reports which of them are durable.
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker } from '@sluice/core';
import { createOutbox } from '@sluice/postgres';
import { timedJournal } from '@sluice/postgres/testing';
import pg from 'pg';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { onAsked, receiveSettings, takeLeave, tell } from '../../processes/parent.ts';
import { MOST_REQUESTS } from '../processes/messages.ts';
import { NumberedEvents } from '../processes/numbered-events.ts';
import { createRandom } from '../random.ts';
import { BATCH_EVENTS, type MemberSettings, type MemberTold } from './messages.ts';

const MOST_PER_BURST = 40;
/** How long the server may be away while this process is told to finish. */
const FINISH_MS = 300_000;
const CONNECT_MS = 60_000;
const CLOSE_MS = 2_000;
const RETRY_MS = 50;
/** One transaction in so many is rolled back. */
const ROLLED_BACK_EVERY = 5;
const CUSTOMERS = 50;

const settings = await receiveSettings<MemberSettings>();
const { role, life, baseUrl, apiKey, connectionString, leaseMs, tickMs } = settings;
const random = createRandom(settings.seed);
let isToldToFinish = false;
onAsked(() => {
  isToldToFinish = true;
});
const problem = (what: string) => tell<MemberTold>({ type: 'problem', what: `${role} ${life}: ${what}` });

if (role === 'outbox') await insert();
else await track();
tell<MemberTold>({ type: 'finished' });
takeLeave();

async function track(): Promise<void> {
  const tracker = createTracker({
    logger: false,
    ...{ baseUrl, apiKey, correlationKey: 'email' },
    journal: timedJournal(
      { pool: { connectionString }, send: role !== 'publisher', outbox: role === 'forwarder' },
      { leaseMs, renewMs: leaseMs / 3, heldMs: leaseMs * 0.8 },
    ),
    batch: { maxEvents: BATCH_EVENTS, maxWaitMs: 20 },
    delivery: { maxConcurrency: MOST_REQUESTS, retryBaseMs: 10, retryMaxMs: 200 },
  });
  tracker.on('dropped', ({ reason, count }) => problem(`dropped ${count} events: ${reason}`));
  tracker.on('deadLettered', ({ status }) => problem(`an event became a dead letter: ${status}`));
  tell<MemberTold>({ type: 'started' });
  const events = new NumberedEvents(tracker, life, random);
  let durable = 0;
  let telling: Promise<boolean> | undefined;
  const tellDurable = async (): Promise<boolean> => {
    const { tracked } = events;
    const isDurable = await tracker.durable().then(
      () => true,
      () => false,
    );
    if (isDurable && tracked > durable) tell<MemberTold>({ type: 'durable', from: durable, to: tracked });
    if (isDurable) durable = tracked;
    telling = undefined;
    return isDurable;
  };
  while (!isToldToFinish) {
    if (role !== 'forwarder') events.track(1 + random(MOST_PER_BURST));
    telling ??= tellDurable();
    await pause(tickMs);
  }
  await telling;
  const isDurable = await within(FINISH_MS, tellDurable);
  if (!isDurable) problem('the last events did not become durable');
  // What it does not send in this time, others do.
  await tracker.close({ timeoutMs: CLOSE_MS });
}

async function insert(): Promise<void> {
  const outbox = createOutbox({ correlationKey: 'email' });
  let number = 0;
  tell<MemberTold>({ type: 'started' });
  for (let round = 1; !isToldToFinish; round += 1) {
    const from = number;
    number += 1 + random(MOST_PER_BURST);
    const to = number;
    const isRolledBack = round % ROLLED_BACK_EVERY === 0;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => {});
    let isCertain = true;
    // PostgreSQL warns after a commit that did not wait for its standby.
    client.on('notice', () => {
      isCertain = false;
    });
    try {
      await client.connect();
      for (let one = 0; one < ROLLED_BACK_EVERY && !isToldToFinish; one += 1) await pause(tickMs);
      await client.query('begin');
      await outbox.trackAll(client, eventsOf(from, to));
      await client.query(isRolledBack ? 'rollback' : 'commit');
      if (isRolledBack) tell<MemberTold>({ type: 'rolledBack', from, to });
      else if (isCertain) tell<MemberTold>({ type: 'durable', from, to });
    } catch {
      // The outcome is unknown: these events may arrive or not.
      await pause(RETRY_MS);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function eventsOf(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => ({
    name: 'numbered',
    payload: { number: from + index },
    uuid: numberedUuid(life, from + index),
    correlationValue: `${(from + index) % CUSTOMERS}@example.com`,
  }));
}

/** Tries again until `attempt` resolves to true, or the time is over. */
async function within(ms: number, attempt: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(RETRY_MS))
    if (await attempt()) return true;
  return false;
}
