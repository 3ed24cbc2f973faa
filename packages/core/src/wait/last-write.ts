import type { EventBytes } from '../base/event-bytes.ts';
import { checkedRange } from '../keep/appends.ts';
import type { Journal } from '../keep/journal.ts';
import { type Backlog, MEMORY_SEGMENT } from './backlog.ts';
import type { Committer } from './committer.ts';
import type { UnderWay } from './under-way.ts';

/** A lane, as far as it is of use at the last moment. */
export interface LastLane {
  readonly backlog: Backlog;
  readonly committer: Pick<Committer, 'appends'>;
  readonly underWay: Pick<UnderWay, 'in'>;
}

/**
 * Writes all that no journal holds, now, on this thread, where the journal can do that: for the last moment of a process.
 * Also what is under way, which may not be written: twice is better than never. Throws where the journal fails.
 */
export function writeNow(lanes: readonly LastLane[], journal: Journal): void {
  if (journal.appendSync === undefined) return;
  const append = (group: EventBytes) => checkedRange(journal.appendSync?.(group), group);
  const overtaken = lanes.flatMap(({ backlog, committer }) =>
    committer.appends.disown().map(({ group, order }) => ({ backlog, group, order })),
  );
  // The journal must be given them in the order in which they began.
  for (const { backlog, group } of overtaken.sort((a, b) => a.order - b.order))
    backlog.markWritten(append(group));
  for (const { backlog, underWay } of lanes) {
    const next = () => backlog.unwrittenGroup(journal.groupLimit);
    for (let group = next(); group !== undefined; group = next()) backlog.markWritten(append(group));
    const nextInMemory = () => backlog.memoryGroup(journal.groupLimit);
    for (let group = nextInMemory(); group !== undefined; group = nextInMemory())
      backlog.move(group.range, append(group.events));
    for (const batch of underWay.in(MEMORY_SEGMENT)) backlog.moveInFlight(batch, append(batch.events));
  }
}
