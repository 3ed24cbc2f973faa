// A process that replays dead letters and is killed once they are on their road, before they are given up where they were.
// Runs the built package, as an application does.
import { createTracker } from '@sluice/core';

const { baseUrl, directory } = JSON.parse(process.argv[2]);
const tracker = createTracker({
  baseUrl,
  apiKey: 'child-key',
  correlationKey: 'email',
  journalDirectory: directory,
});
tracker.on('replayed', () => process.kill(process.pid, 'SIGKILL'));
await tracker.deadLetters.replay();
