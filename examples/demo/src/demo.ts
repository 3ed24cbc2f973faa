import { once } from 'node:events';
import { readLogTail } from './application-log.ts';
import { readBirdStrikes } from './bird-strikes.ts';
import { toCustomers } from './operators.ts';
import { DemoProcess } from './processes/demo-process.ts';
import type { TrackingMessage } from './processes/messages.ts';
import { showCrash } from './scenes/crash.ts';
import { showDelivery } from './scenes/delivery.ts';
import { showOutage } from './scenes/outage.ts';
import { showRecovery } from './scenes/recovery.ts';
import { showAddresses } from './scenes/serving.ts';
import { showSummary, verdict } from './scenes/summary.ts';
import { showVerification } from './scenes/verification.ts';
import { ScratchDirectory } from './scratch-directory.ts';
import { Service } from './service.ts';
import { type Stage, trackerSettings } from './stage.ts';
import type { Screen } from './terminal/screen.ts';

// Only a hang reaches this limit.
const DEADLINE_MS = 300_000;

/** Runs all scenes. Resolves to whether every check passed. Leaves no process and no file behind, even if it fails. */
export async function runDemo(screen: Screen, serve: boolean, interruption: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(DEADLINE_MS)]);
  await using scratch = await ScratchDirectory.create();
  const rows = await readBirdStrikes();
  const customers = toCustomers(rows);
  await using service = new Service(scratch.service, signal);
  await service.start(customers);
  const stage: Stage = { screen, rows, customers, scratch, service, signal };
  let isWell = false;
  try {
    isWell = await play(stage, serve);
  } finally {
    if (!isWell && !interruption.aborted) process.stderr.write(await readLogTail(scratch.log));
  }
  if (serve && !interruption.aborted) await once(interruption, 'abort');
  return isWell;
}

async function play(stage: Stage, serve: boolean): Promise<boolean> {
  const { screen, rows, customers, signal } = stage;
  screen.title('Sluice: a service that goes away, a process that dies, and no event lost');
  screen.say(
    `The events are ${rows.length.toLocaleString('en-US')} real reports of birds struck by aircraft (FAA, 1990 to ` +
      `2002), each of a customer: one of ${customers.length} operators.`,
  );
  await using tracking = new DemoProcess<TrackingMessage>('tracking', trackerSettings(stage), signal);
  const tracked = await showDelivery(stage, tracking);
  const backlog = await showOutage(stage, tracking, tracked);
  await showCrash(stage, tracking);
  const recovery = await showRecovery(stage, backlog);
  const findings = await showVerification(stage);
  showSummary(stage, backlog, recovery, findings);
  if (serve) showAddresses(stage);
  screen.line('');
  screen.line(verdict(backlog.accepted, findings));
  return findings.failed === 0 && backlog.accepted === rows.length;
}
