import type { TrackerStats } from '@sluice/core';
import type { ScriptedService } from './scripted-service.ts';

/** Differences between the sender's stats and what the service took, one line each. */
export function bookProblems(
  tracked: number,
  stats: TrackerStats,
  { taken, repeated, followed }: ScriptedService,
): string[] {
  const { accepted, recovered, delivered, deadLettered, dropped, pending, maybeDuplicate } = stats;
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const problems: string[] = [];
  if (accepted !== tracked || accepted + recovered !== delivered + deadLettered + lost + pending) {
    problems.push(`the books do not add up: ${JSON.stringify(stats)}`);
  }
  if (taken.size !== delivered) problems.push(`${delivered} delivered, ${taken.size} taken`);
  if (repeated > maybeDuplicate) problems.push(`${repeated} came again, ${maybeDuplicate} may have`);
  if (followed > 0) problems.push(`${followed} redirects were followed`);
  return problems;
}
