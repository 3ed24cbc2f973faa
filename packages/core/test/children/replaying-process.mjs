// A process that replays dead letters. It is killed once they are accepted as events, before they are removed from the dead
// letters. Runs the built package, as an application does.
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
