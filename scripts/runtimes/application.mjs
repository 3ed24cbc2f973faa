// An application of the battery, on the runtime that is tested: `RUNTIME application.mjs TASK`, where the task is JSON. It tells
// what it has done in lines of JSON.
import diagnosticsChannel from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { createTracker } from '@sluice/core';
import { createCustomerReader } from '@sluice/customers';

const task = JSON.parse(process.argv[2] ?? '{}');
// Bun forgets a channel that only has subscribers.
const channel = diagnosticsChannel.channel('sluice:delivered');
const { role, count, name, apiKey, apiUrl, customer, timeoutMs, ...options } = task;

/** At once: the process may end right after it. @param {object} told */
function tell(told) {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

function start() {
  return createTracker({ apiKey, correlationKey: 'email', ...options });
}

/** @param {ReturnType<typeof start>} tracker @param {number} [first] @param {number} [end] */
function track(tracker, first = 0, end = count) {
  for (let number = first; number < end; number += 1)
    tracker.track(name, { number }, { correlationValue: customer });
}

/** Half of the events are in the journal, the others only in memory: it had no time to write them. */
async function leaveHalf() {
  const tracker = start();
  track(tracker, 0, count / 2);
  await tracker.durable();
  track(tracker, count / 2);
}

/** @type {Record<string, () => unknown>} */
const roles = {
  async deliver() {
    let published = 0;
    channel.subscribe((detail) => {
      published += Reflect.get(Object(detail), 'count');
    });
    const tracker = start();
    track(tracker);
    const { delivered, pending, pendingReason } = await tracker.flush({ timeoutMs });
    const { recovered, journal } = tracker.stats();
    // Nothing closes the tracker: its connections must not keep the process.
    tell({ pending, pendingReason, recovered, delivered, published, journal });
  },
  /** Its events are durable. It lives on until it is killed. */
  async hold() {
    const tracker = start();
    track(tracker);
    await tracker.durable();
    tell({ isDurable: true });
    setInterval(() => {}, 60_000);
  },
  /** Ends before it has delivered anything. */
  async 'drain in background'() {
    const tracker = start();
    track(tracker);
    tracker.drainInBackground();
    await tracker.durable();
    process.exit(0);
  },
  /** Delivers what others left. */
  async inherit() {
    const tracker = start();
    await tracker.durable();
    const { pending, pendingReason } = await tracker.flush({ timeoutMs });
    const { recovered } = tracker.stats();
    await tracker.close();
    tell({ recovered, pending, pendingReason });
  },
  async 'process.exit()'() {
    await leaveHalf();
    process.exit(7);
  },
  async 'Deno.exit()'() {
    await leaveHalf();
    Reflect.get(globalThis, 'Deno').exit(7);
  },
  'natural end': leaveHalf,
  async 'uncaught exception'() {
    await leaveHalf();
    setImmediate(() => {
      throw new Error('of the application');
    });
  },
  async 'unhandled rejection'() {
    await leaveHalf();
    throw new Error('of the application');
  },
  async SIGTERM() {
    setInterval(() => {}, 60_000);
    await leaveHalf();
    tell({ isReady: true });
  },
  async 'read customer'() {
    const reader = createCustomerReader({ apiUrl, apiKey });
    tell({ customer: await reader.read(customer) });
  },
};
await roles[role]?.();
