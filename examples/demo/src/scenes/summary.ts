import type { Stage } from '../stage.ts';
import { formatBytes, formatCount, formatSeconds, plural } from '../terminal/numbers.ts';
import type { Backlog } from './outage.ts';
import type { Recovery } from './recovery.ts';
import type { Findings } from './verification.ts';

/** Shows all numbers in one table, at the end. */
export function showSummary(
  { screen, rows }: Stage,
  { accepted, events, size }: Backlog,
  { awayMs, before, recovered, drainMs }: Recovery,
  { delivered, duplicates, checks, failed }: Findings,
): void {
  screen.heading('Summary');
  screen.table([
    ['rows in the CSV', formatCount(rows.length)],
    ['accepted by track()', formatCount(accepted)],
    ['at the service before it went', formatCount(before)],
    ['service away for', formatSeconds(awayMs)],
    ['left in the journal at SIGKILL', `${plural(events, 'event')}, ${formatBytes(size.bytes)}`],
    ['found by the new process', plural(recovered, 'event')],
    ['delivered by it within', formatSeconds(drainMs)],
    ['at the service now, by uuid', formatCount(delivered)],
    ['received twice, kept once', formatCount(duplicates)],
    ['checks passed', `${checks - failed} of ${checks}`],
  ]);
  if (duplicates > 0) {
    screen.line('');
    screen.say(
      `A duplicate is an event that was on its way when the service died: whether it had arrived could not ` +
        `be known, so it was sent again, with the same uuid.`,
    );
  }
}

/** The last line, for people and for scripts: `delivered` and `duplicates` are counted at the service. */
export function verdict(accepted: number, { delivered, duplicates }: Findings): string {
  const lost = accepted - delivered;
  return `demo: accepted ${accepted}, delivered ${delivered}, lost ${lost}, duplicates ${duplicates}`;
}
