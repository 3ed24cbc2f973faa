import { type JournalSize, measureJournal } from '../journal-size.ts';
import type { DemoProcess } from '../processes/demo-process.ts';
import type { TrackingMessage } from '../processes/messages.ts';
import type { Stage } from '../stage.ts';
import { formatBytes, formatCount } from '../terminal/numbers.ts';

/** The events that the application could not deliver, and their journal. */
export interface Backlog {
  /** Events that `track()` accepted, counted by the application itself. `lost` is this minus what the service has. */
  readonly accepted: number;
  readonly events: number;
  readonly size: JournalSize;
  /** When the service was killed, as `performance.now()`. */
  readonly since: number;
}

/** Scene 2: the service is killed. The application goes on tracking, and the backlog grows on disk. */
export async function showOutage(
  { screen, rows, scratch, service }: Stage,
  tracking: DemoProcess<TrackingMessage>,
  tracked: number,
): Promise<Backlog> {
  screen.heading('2  The service is taken away');
  screen.say(
    `Process ${service.pid} gets a SIGKILL. The application is not told and tracks on; with nowhere to go, ` +
      `events pile up in the journal.`,
  );
  await service.takeAway();
  const since = performance.now();
  const sizeBefore = await measureJournal(scratch.journal);
  const { accepted, pending } = await watchBacklog();
  const size = await measureJournal(scratch.journal);
  screen.say(
    `All ${formatCount(accepted)} are tracked. ${formatCount(pending)} of them are not delivered and stand in the ` +
      `journal, which grew from ${formatBytes(sizeBefore.bytes)} to ${formatBytes(size.bytes)} on disk.`,
  );
  return { accepted, events: pending, size, since };

  async function watchBacklog() {
    using progress = screen.progress(rows.length, tracked, 'tracked');
    for (;;) {
      const message = await tracking.next();
      if (message.type === 'written') return message;
      const { bytes } = await measureJournal(scratch.journal);
      progress.update(message.events, `tracked, ${formatBytes(bytes)} on disk`);
    }
  }
}
