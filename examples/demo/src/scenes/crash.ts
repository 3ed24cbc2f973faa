import { measureJournal } from '../journal-size.ts';
import type { DemoProcess } from '../processes/demo-process.ts';
import type { TrackingMessage } from '../processes/messages.ts';
import type { Stage } from '../stage.ts';
import { formatBytes } from '../terminal/numbers.ts';

/** Scene 3: the application is killed with SIGKILL. */
export async function showCrash(
  { screen, scratch }: Stage,
  tracking: DemoProcess<TrackingMessage>,
): Promise<void> {
  screen.heading('3  The application is killed');
  const ending = await tracking.kill();
  const { bytes } = await measureJournal(scratch.journal);
  screen.say(
    `Process ${tracking.pid} is gone, by ${ending}: no goodbye, no last write. Nothing runs now. ` +
      `The journal still takes ${formatBytes(bytes)}.`,
  );
}
