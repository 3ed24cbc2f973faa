import { setTimeout } from 'node:timers/promises';
import type { DropReason, FlushReport, PendingReason, Tracker } from '@sluice/core';
import { inspectJournal } from '@sluice/core/inspect';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { totalsOf } from '../journal/summary.ts';
import type { Output } from '../output.ts';
import { count, counted, duration } from '../text/amounts.ts';

/** After so long it is looked whether only a person can help. */
const FLUSH_MS = 2_000;
const CLOSE_MS = 2_000;
const BREAK_MS = 500;

/** What does not pass by itself: somebody has to do something. */
const STUCK: ReadonlySet<PendingReason | undefined> = new Set<PendingReason>([
  ...(['unauthorized', 'wrong-address', 'refused', 'intercepted', 'policy', 'suspects'] as const),
]);

/** Whether only a person can help. @param pendingReason Why a flush left events. */
export function isStuck(tracker: Tracker, pendingReason?: PendingReason): boolean {
  return STUCK.has(tracker.stats().pause?.reason ?? pendingReason);
}

/** What became of a delivery. */
export interface Delivered {
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
  /** Events that were dropped, by reason. */
  readonly droppedBy: Readonly<Partial<Record<DropReason, number>>>;
  readonly left: number;
  /** Why events are left, and what to do. */
  readonly reason?: string | undefined;
  readonly hint?: string | undefined;
  readonly durationMs: number;
}

/**
 * Delivers all that waits, and closes the tracker. Ends earlier if the signal aborts, or if only a person can help: what is left
 * is in the journal then.
 *
 * @param directory That of its journal.
 */
export async function deliver(
  tracker: Tracker,
  directory: string,
  signal: AbortSignal,
  startedAt: number = Date.now(),
): Promise<Delivered> {
  let report: FlushReport;
  let hasFailed = tracker.stats().journal === 'memory';
  tracker.on('storageFailed', () => {
    hasFailed = true;
  });
  for (;;) {
    const calledAt = performance.now();
    report = await tracker.flush({ timeoutMs: FLUSH_MS, signal });
    // If it may have ended by its time-out, the journal may not be read yet: then nobody knows what waits.
    const isKnown = performance.now() - calledAt < FLUSH_MS / 2;
    if ((report.pending === 0 && isKnown) || signal.aborted || isStuck(tracker, report.pendingReason)) break;
    if (report.pendingReason !== 'time-out')
      await setTimeout(BREAK_MS, undefined, { signal }).catch(() => undefined);
  }
  const { pause, lastError } = tracker.stats();
  const { pending } = await tracker.close({ timeoutMs: CLOSE_MS });
  const { delivered, deadLettered, dropped } = tracker.stats();
  // It knows nothing of events that it could not read.
  const journal = hasFailed ? await inspectJournal(directory).catch(() => undefined) : undefined;
  const { waiting, waitingAlive } = totalsOf(journal?.events ?? []);
  const left = Math.max(pending, waiting - waitingAlive);
  const stopped = signal.aborted ? 'stopped' : report.pendingReason;
  return {
    delivered,
    deadLettered,
    dropped: Object.values(dropped).reduce((sum, one) => sum + one, 0),
    droppedBy: Object.fromEntries(Object.entries(dropped).filter(([, number]) => number > 0)),
    left,
    reason: left > 0 ? (pause?.reason ?? stopped ?? 'storage') : undefined,
    hint: left > 0 ? (lastError?.message ?? pause?.hint) : undefined,
    durationMs: Date.now() - startedAt,
  };
}

/** One line about a delivery. */
export function deliveredText({
  delivered,
  deadLettered,
  droppedBy,
  left,
  reason,
  hint,
  durationMs,
}: Delivered): string {
  const rate = Math.round((delivered * 1_000) / Math.max(1, durationMs));
  const parts = [`delivered ${counted(delivered, 'event')} in ${duration(durationMs)} (${count(rate)}/s)`];
  if (deadLettered > 0) parts.push(`${counted(deadLettered, 'dead letter')}`);
  for (const [why, number] of Object.entries(droppedBy)) parts.push(`${count(number)} dropped: ${why}`);
  const why = [reason, hint].filter((text) => text !== undefined).map((text) => `: ${text}`);
  if (left > 0) parts.push(`${count(left)} left in the journal${why.join('')}`);
  return parts.join('; ');
}

/** Writes what became of a delivery. Returns the exit code. */
export function tell(delivered: Delivered, output: Output, isInterrupted: boolean): ExitCode {
  output.result(delivered, () => deliveredText(delivered));
  return exitCodeOf(delivered, isInterrupted);
}

/** The exit code for what became of a delivery. */
export function exitCodeOf(delivered: Delivered, isInterrupted: boolean): ExitCode {
  const { left, deadLettered, dropped, droppedBy } = delivered;
  if (isInterrupted && left > 0) return EXIT.interrupted;
  // These are dropped because the settings say so.
  const { filtered = 0, sampled = 0 } = droppedBy;
  return left + deadLettered + dropped > filtered + sampled ? EXIT.failed : EXIT.done;
}
