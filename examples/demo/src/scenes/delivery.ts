import type { DemoProcess } from '../processes/demo-process.ts';
import type { TrackingMessage } from '../processes/messages.ts';
import { readCounts } from '../service-store.ts';
import type { Stage } from '../stage.ts';
import { formatCount } from '../terminal/numbers.ts';

/** After this many tracked events, the service is killed. Some are delivered by then, and some may be in a request. */
const UNTIL_TRACKED = 4_000;

/** Scene 1: events are tracked and arrive. Resolves to the number of tracked events. */
export async function showDelivery(
  { screen, rows, service }: Stage,
  tracking: DemoProcess<TrackingMessage>,
): Promise<number> {
  screen.heading('1  The service is up');
  screen.say(
    `An application (process ${tracking.pid}) tracks 2,000 events a second. track() returns at once; Sluice ` +
      `writes each event to a journal on disk and sends them, in batches, to the service (process ${service.pid}).`,
  );
  using progress = screen.progress(rows.length, 0, 'tracked');
  for (;;) {
    // Read this count first. Otherwise the demo could show more events at the service than were tracked.
    const { unique } = await readCounts(service.address, 1);
    const message = await tracking.next();
    if (message.type !== 'tracked') throw new Error(`The application got ahead of the demo: ${message.type}`);
    progress.update(message.events, `tracked, ${formatCount(unique)} at the service`);
    if (message.events >= UNTIL_TRACKED) return message.events;
  }
}
