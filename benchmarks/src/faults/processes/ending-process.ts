// An application that tracks numbered events and ends as applications do: by a signal, an exit, an exception.
import { openSync, writeSync } from 'node:fs';
import { createTracker } from '@sluice/core';
import { receiveSettings, tell } from '../../processes/parent.ts';
import { createRandom } from '../random.ts';
import {
  BATCH_EVENTS,
  type EndingSettings,
  type EndingTold,
  EXIT_CODE,
  OWN_HANDLER_EXIT_CODE,
} from './ending.ts';
import { MOST_REQUESTS } from './messages.ts';
import { NumberedEvents } from './numbered-events.ts';

const MOST_PER_BURST = 60;
const TICK_MS = 3;
const HANDLING_MS = 15;

const settings = await receiveSettings<EndingSettings>();
const { baseUrl, journalDirectory, fsync, life, ending, afterMs } = settings;
// Without the listener of the harness, which must not count as the application's.
process.removeAllListeners('SIGINT');
const random = createRandom(settings.seed);
const count = openSync(settings.countPath, 'w');
const hasHandler = ending === 'SIGTERM, handled by the application';
const isFirst = random(2) === 0;
if (hasHandler && isFirst) listen();

const tracker = createTracker({
  logger: false,
  ...{ baseUrl, apiKey: 'faults-key', correlationKey: 'email', journalDirectory, fsync },
  batch: { maxEvents: BATCH_EVENTS, maxWaitMs: 20 },
  delivery: { maxConcurrency: MOST_REQUESTS, retryBaseMs: 10, retryMaxMs: 200 },
});
if (hasHandler && !isFirst) listen();
const events = new NumberedEvents(tracker, life, random);
track();
setInterval(track, TICK_MS);
if (ending === 'process.exit()') setTimeout(exit, afterMs);
else if (ending === 'uncaught exception') setTimeout(fail, afterMs);
else if (ending === 'unhandled rejection') setTimeout(async () => fail(), afterMs);
tell<EndingTold>({ type: 'started' });

function track(): void {
  events.track(1 + random(MOST_PER_BURST));
  // In a file: messages that are not delivered yet are lost when the process ends.
  writeSync(count, JSON.stringify(events.tracked), 0);
}

function exit(): void {
  track();
  process.exit(EXIT_CODE);
}

function fail(): void {
  track();
  throw new Error('the application fails, as it was told to');
}

/** Adds its listener before or after the tracker's, for good or for one signal. This must make no difference. */
function listen(): void {
  if (random(2) === 0) process.on('SIGTERM', endByItself);
  else process.once('SIGTERM', endByItself);
}

function endByItself(): void {
  track();
  setTimeout(() => {
    track();
    process.exit(OWN_HANDLER_EXIT_CODE);
  }, HANDLING_MS);
}
