// A tracker with a journal on PostgreSQL, in a process of its own. Argument: JSON. Prints a line once its events are in the table,
// and its books each time it reads a line.
import { createInterface } from 'node:readline';
import { createTracker } from '@sluice/core';
import { readOptions } from '../../dist/journal/options.js';
import { PostgresJournal } from '../../dist/journal/postgres-journal.js';

const { count, name, options, pool, schema, timing } = JSON.parse(process.argv[2] ?? '{}');
const journal = new PostgresJournal(readOptions({ pool, schema }), timing);
const tracker = createTracker({ ...options, journal });
for (let number = 0; number < count; number += 1)
  tracker.track(name, { number }, { correlationValue: 'ada@example.com' });
await tracker.durable();
console.log('durable');
for await (const _ of createInterface(process.stdin)) {
  await tracker.flush();
  const { accepted, delivered, pending, recovered } = tracker.stats();
  console.log(JSON.stringify({ accepted, delivered, pending, recovered }));
}
