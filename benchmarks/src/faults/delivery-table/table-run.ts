import type { DeliveryError } from '@sluice/core';
import { createTracker } from '@sluice/core/testing';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { bookProblems } from './book-problems.ts';
import { LeapingClock } from './leaping-clock.ts';
import { ScriptedService } from './scripted-service.ts';
import type { TableCase } from './table-cases.ts';
import { BAD_EVENT, EVENTS, RANDOM, type TableResult } from './table-result.ts';
import { rowOf, type TableRow } from './table-row.ts';

/** On the tracker's clock. Longer than any wait. */
const FLUSH_MS = 3 * 60 * 60_000;
const NEWER_EVENT_MS = 1_000;

/** Sends a batch to a real HTTP server that answers as the row says, and compares the result with the row. */
export async function runTableCase(row: TableCase): Promise<TableRow> {
  const { replies = [], awayFor = 0 } = row;
  const events = eventsOf(row);
  using clock = new LeapingClock();
  const badUuid = numberedUuid(0, BAD_EVENT);
  await using service = await ScriptedService.start(
    (request, body) => (body.includes(badUuid) ? row.toBadEvent : undefined) ?? replies[request],
    () => clock.now(),
  );
  if (awayFor > 0) await service.leave();
  const tracker = createTracker({
    logger: false,
    baseUrl: row.baseUrl?.(service.port) ?? `http://127.0.0.1:${service.port}`,
    ...{ apiKey: 'table-key', correlationKey: 'email', journal: 'memory', clock, random: () => RANDOM },
    batch: { maxEvents: EVENTS },
    ...row.options,
  });
  const enough = new AbortController();
  const attempts: DeliveryError[] = [];
  tracker.on('requestFailed', ({ error }) => {
    attempts.push(error);
    if (attempts.length === awayFor) void service.comeBack();
    if (attempts.length === row.enoughAfter) enough.abort();
  });
  tracker.on('paused', () => row.whenPaused?.(tracker));
  for (let number = 0; number < events; number += 1) {
    if (number >= EVENTS) await new Promise<void>((resolve) => clock.setTimeout(resolve, NEWER_EVENT_MS));
    tracker.track('row', {}, { uuid: numberedUuid(0, number), correlationValue: 'ada@example.com' });
  }
  await tracker.flush({ timeoutMs: FLUSH_MS, signal: enough.signal });
  const stats = tracker.stats();
  await tracker.close({ timeoutMs: 0 });
  const provenMs = aloneMs(badUuid, service);
  const found = { ...rowOf(row.answer, stats, attempts, service), provenMs };
  const problems = [...differences(found, row.expected), ...bookProblems(events, stats, service)];
  return { ...found, problems };
}

/** The number of events of a case. */
export function eventsOf({ newerEvents = 0 }: TableCase): number {
  return EVENTS + newerEvents;
}

/** Time between the first and the last request with one event alone, in milliseconds. */
function aloneMs(uuid: string, { requests }: ScriptedService): number {
  const times = requests
    .filter(({ body }) => body.includes(uuid) && body.split('"uuid"').length === 2)
    .map(({ at }) => at);
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

function differences({ waitMs, ...found }: TableRow, { waitMs: range, ...expected }: TableResult): string[] {
  const names = Object.keys(expected) as (keyof typeof expected)[];
  const problems = names
    .filter((name) => expected[name] !== undefined && found[name] !== expected[name])
    .map((name) => `${name}: ${found[name]}, expected ${expected[name]}`);
  const [least, most] = range ?? [0, Number.POSITIVE_INFINITY];
  if (range && !(waitMs !== undefined && waitMs >= least && waitMs <= most)) {
    problems.push(`waited ${waitMs} ms, expected ${least} to ${most}`);
  }
  return problems;
}
