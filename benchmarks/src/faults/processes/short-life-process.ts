/** A command-line tool: tracks one event, works for a moment, and ends. */
import { writeSync } from 'node:fs';
import { setTimeout as work } from 'node:timers/promises';
import { createTracker } from '@sluice/core';

const [baseUrl = '', journalDirectory, life, workMs, drains] = process.argv.slice(2);
const tracker = createTracker({
  logger: false,
  baseUrl,
  apiKey: 'key',
  correlationKey: 'email',
  ...(journalDirectory && { journalDirectory }),
});
tracker.track('command', { life: Number(life) }, { correlationValue: 'ada@example.com' });
await work(Number(workMs));
const start = performance.now();
if (drains === 'drains' && !tracker.drainInBackground()) throw new Error('no process was started');
process.on('exit', () => writeSync(1, String(performance.now() - start)));
process.exit();
