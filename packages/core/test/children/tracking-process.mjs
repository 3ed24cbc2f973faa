// A process that tracks events, and then ends as its settings say. Runs the built package, as an application does.
import { createTracker } from '@sluice/core';

const { baseUrl, directory, first, count, end, fsync, maxBytes, pad } = JSON.parse(process.argv[2]);
const tracker = createTracker({
  baseUrl,
  apiKey: 'child-key',
  correlationKey: 'email',
  journalDirectory: directory,
  ...(fsync && { fsync }),
  ...(maxBytes && { storage: { maxBytes } }),
});
for (let number = first; number < first + count; number += 1) {
  tracker.track('numbered', { number, pad }, { correlationValue: 'ada@example.com' });
}

const written = () => (tracker.stats().unwritten === 0 ? process.send('written') : setTimeout(written, 1));

switch (end) {
  case 'wait to be killed':
    written();
    setInterval(() => {}, 1_000);
    break;
  case 'wait to be killed once durable':
    await tracker.durable();
    process.send('durable');
    setInterval(() => {}, 1_000);
    break;
  case 'report once durable, and wait to be killed':
    await tracker.durable();
    process.send(tracker.stats());
    setInterval(() => {}, 1_000);
    break;
  case 'exit':
    process.exit(7);
    break;
  case 'throw':
    throw new Error('as the test asks');
  case 'flush and exit':
    await tracker.flush();
    process.exit(0);
    break;
  case 'nothing left to do':
    break;
}
