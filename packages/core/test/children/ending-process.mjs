// A process that tracks events which are only in memory, and then ends. Runs the built package, as an application does.

import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createTracker } from '@sluice/core';

const assignment = isMainThread ? JSON.parse(process.argv[2]) : workerData;
const { directory, fsync, count, signal, scenario, copy } = assignment;

/** @param of The createTracker() of a copy of the package. */
function create(of = createTracker, options = {}) {
  return of({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'child-key',
    correlationKey: 'email',
    journalDirectory: directory,
    // No event is written before the end of the process.
    commitIntervalMs: 3_600_000,
    ...(fsync && { fsync }),
    ...options,
  });
}

function track(tracker, first = 0, end = count) {
  for (let number = first; number < end; number += 1) {
    tracker.track('numbered', { number }, { correlationValue: 'ada@example.com' });
  }
}

/** A handler of the application that ends the process with its own exit code. */
function handle() {
  writeSync(1, 'handled;');
  process.exit(5);
}

/** Like the library signal-exit: if nobody else handles the signal, ends the process by sending the signal again. */
function handleIfAlone() {
  writeSync(1, 'handled;');
  if (process.listenerCount(signal) > 1) return;
  process.off(signal, handleIfAlone);
  process.kill(process.pid, signal);
}

function listeners() {
  return ['exit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'newListener', 'removeListener'].map((name) =>
    process.listenerCount(name),
  );
}

/** The main thread ends by itself, or by the signal, while the worker lives. */
async function endBesideWorker(scenario) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...assignment, scenario } });
  await once(worker, 'message');
  if (signal === undefined) process.exit(7);
}

/** The worker lives on: if it ended by itself, it would write what is left. */
function tellMainThread() {
  setInterval(() => {}, 1_000);
  parentPort.postMessage('done');
}

const scenarios = {
  'no handler': () => track(create()),
  'on, before': () => {
    process.on(signal, handle);
    track(create());
  },
  'once, before': () => {
    process.once(signal, handle);
    track(create());
  },
  'on, after': () => {
    track(create());
    process.on(signal, handle);
  },
  'once, after': () => {
    track(create());
    process.once(signal, handle);
  },
  'prepended, after': () => {
    track(create());
    process.prependListener(signal, handle);
  },
  'on, and taken away again': () => {
    track(create());
    process.on(signal, handle);
    process.off(signal, handle);
  },
  'once, and it goes on': () => {
    process.once(signal, () => {
      writeSync(1, 'handled;');
      process.send('handled');
    });
    track(create());
  },
  'as signal-exit, before': () => {
    process.on(signal, handleIfAlone);
    track(create());
  },
  'as signal-exit, after': () => {
    track(create());
    process.on(signal, handleIfAlone);
  },
  'two trackers': () => {
    track(create(), 0, count / 2);
    track(create(), count / 2);
  },
  'two trackers, one closed before': async () => {
    const first = create();
    track(create());
    await first.close({ timeoutMs: 0 });
  },
  'two copies of the package': async () => {
    track(create(), 0, count / 2);
    track(create((await import(copy)).createTracker), count / 2);
  },
  'two copies of the package, and process.exit()': async () => {
    await scenarios['two copies of the package']();
    process.exit(7);
  },
  'two copies of the package, and an uncaught exception': async () => {
    await scenarios['two copies of the package']();
    setImmediate(() => {
      throw new Error('as the test asks');
    });
  },
  'all trackers closed': async () => {
    const before = listeners();
    const trackers = [create(), create()];
    const during = listeners();
    for (const tracker of trackers) await tracker.close({ timeoutMs: 0 });
    process.send({ before, during, after: listeners() });
  },
  'exit in a microtask': () => {
    track(create());
    queueMicrotask(() => process.exit(3));
  },
  'exit code': () => {
    track(create());
    process.exitCode = 4;
  },
  'unhandled rejection': () => {
    track(create());
    Promise.reject(new Error('as the test asks'));
  },
  worker: async () => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { ...assignment, scenario: 'in a worker' },
    });
    worker.on('exit', (code) => process.exit(code));
  },
  'worker with durable events': () => endBesideWorker('durable in a worker'),
  'worker with events tracked longer ago than commitIntervalMs': () => endBesideWorker('written in a worker'),
  'durable in a worker': async () => {
    const tracker = create();
    track(tracker);
    await tracker.durable();
    tellMainThread();
  },
  'written in a worker': async () => {
    const tracker = create(undefined, { commitIntervalMs: 1 });
    track(tracker);
    while (tracker.stats().unwritten > 0) await new Promise((resolve) => setImmediate(resolve));
    tellMainThread();
  },
  'in a worker': () => {
    track(create());
    process.exit(6);
  },
};

await scenarios[scenario]();
if (isMainThread && signal !== undefined) {
  setInterval(() => {}, 1_000);
  process.send('ready');
}
