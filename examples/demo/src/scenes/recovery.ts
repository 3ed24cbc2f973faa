import { measureJournal } from '../journal-size.ts';
import { DemoProcess } from '../processes/demo-process.ts';
import type { RecoveryMessage } from '../processes/messages.ts';
import { readCounts } from '../service-store.ts';
import { type Stage, trackerSettings } from '../stage.ts';
import { formatBytes, formatCount, formatSeconds } from '../terminal/numbers.ts';
import type { Backlog } from './outage.ts';

/** The numbers of this scene. */
export interface Recovery {
  /** How long the service was away. */
  readonly awayMs: number;
  /** Unique events that the service had when it was back. */
  readonly before: number;
  /** Events that the new process found in the journal. */
  readonly recovered: number;
  /** From the start of the new process until it reports that it is done and has closed its tracker. */
  readonly drainMs: number;
}

/** Scene 4: the service is back, and a new process delivers what the previous one left. */
export async function showRecovery(stage: Stage, { since }: Backlog): Promise<Recovery> {
  const { screen, rows, scratch, service, signal } = stage;
  screen.heading('4  Both come back');
  await service.bringBack();
  const awayMs = performance.now() - since;
  const before = (await readCounts(service.address, 1)).unique;
  const startedAt = performance.now();
  await using application = new DemoProcess<RecoveryMessage>('recovery', trackerSettings(stage), signal);
  screen.say(
    `The service is back after ${formatSeconds(awayMs)} (process ${service.pid}) with the ${formatCount(before)} ` +
      `events it had. A new application (process ${application.pid}) opens the same journal; it tracks nothing.`,
  );
  const { recovered, delivered, pending } = await watchRecovery();
  const drainMs = performance.now() - startedAt;
  const outcome =
    delivered === recovered
      ? 'delivered all of them'
      : `delivered ${formatCount(delivered)}; ${formatCount(pending)} still wait`;
  const { bytes } = await measureJournal(scratch.journal);
  screen.say(
    `It found ${formatCount(recovered)} events and ${outcome}, ${formatSeconds(drainMs)} after its start. ` +
      `The journal takes ${formatBytes(bytes)} now.`,
  );
  return { awayMs, before, recovered, drainMs };

  async function watchRecovery() {
    using progress = screen.progress(rows.length, before, 'at the service');
    for (;;) {
      const message = await application.next();
      const { unique } = await readCounts(service.address, 1);
      progress.update(unique, 'at the service');
      if (message.type === 'drained') return message;
    }
  }
}
