import type { DeliveryError } from '@sluice/core';
import { createTracker } from '@sluice/core/testing';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { createRandom } from '../random.ts';
import { bookProblems } from './book-problems.ts';
import { mostRequests } from './isolation-bound.ts';
import { LeapingClock } from './leaping-clock.ts';
import { ScriptedService } from './scripted-service.ts';
import { rowOf, type TableRow } from './table-row.ts';

/** How many events of a batch are bad, and where they are. */
export interface IsolationCase {
  readonly bad: number;
  readonly where: 'anywhere' | 'at the start' | 'at the end';
}

/** Number of events in the batch: the default batch size. */
export const ISOLATION_EVENTS = 500;
const FLUSH_MS = 24 * 60 * 60_000;

export const ISOLATION_CASES: readonly IsolationCase[] = [1, 3, 50, 100].flatMap((bad) =>
  (['anywhere', 'at the start', 'at the end'] as const).map((where) => ({ bad, where })),
);

/** Sends a batch to a real HTTP server that answers 400 to each body with a bad event. */
export async function runIsolation({ bad, where }: IsolationCase, seed: number): Promise<TableRow> {
  const places = [...placesOf({ bad, where }, seed)];
  const uuids = places.map((place) => numberedUuid(0, place));
  using clock = new LeapingClock();
  await using service = await ScriptedService.start(
    (_, body) => (uuids.some((uuid) => body.includes(uuid)) ? { kind: 'status', status: 400 } : undefined),
    () => clock.now(),
  );
  const tracker = createTracker({
    logger: false,
    baseUrl: `http://127.0.0.1:${service.port}`,
    ...{ apiKey: 'table-key', correlationKey: 'email', journal: 'memory', clock },
  });
  const attempts: DeliveryError[] = [];
  tracker.on('requestFailed', ({ error }) => attempts.push(error));
  for (let number = 0; number < ISOLATION_EVENTS; number += 1) {
    tracker.track('row', {}, { uuid: numberedUuid(0, number), correlationValue: 'ada@example.com' });
  }
  await tracker.flush({ timeoutMs: FLUSH_MS });
  const stats = tracker.stats();
  await tracker.close({ timeoutMs: 0 });
  const row = rowOf(`400, to ${bad} of ${ISOLATION_EVENTS} events, ${where}`, stats, attempts, service);
  const most = mostRequests({ from: 0, to: ISOLATION_EVENTS }, places);
  const problems = bookProblems(ISOLATION_EVENTS, stats, service);
  if (row.deadLettered !== bad) problems.push(`${row.deadLettered} dead letters, ${bad} must be`);
  if (row.pending + row.dropped > 0) problems.push(`${row.pending} are left, ${row.dropped} dropped`);
  if (row.requests > most) problems.push(`${row.requests} requests, ${most} may be`);
  return { ...row, mostRequests: most, problems };
}

function placesOf({ bad, where }: IsolationCase, seed: number): Set<number> {
  const random = createRandom(seed);
  const places = new Set<number>();
  const first = where === 'at the end' ? ISOLATION_EVENTS - bad : 0;
  while (places.size < bad) {
    places.add(where === 'anywhere' ? random(ISOLATION_EVENTS) : first + places.size);
  }
  return places;
}
