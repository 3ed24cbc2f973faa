import type { DeliveryError, TrackerStats } from '@sluice/core';
import type { ScriptedService } from './scripted-service.ts';
import type { TableResult } from './table-cases.ts';

/** What a row came to. */
export interface TableRow extends Omit<TableResult, 'waitMs'> {
  readonly answer: string;
  readonly waitMs: number | undefined;
  /** Events that were taken again, each time. */
  readonly repeated: number;
  /** Where there is a bound. */
  readonly mostRequests?: number;
  /** What was not as it must be, one line each. */
  readonly problems: readonly string[];
}

const ACTION = /the sender's action is to (\w+)/;

/** @param attempts What the sender said of its requests that were not accepted. */
export function rowOf(
  answer: string,
  { delivered, deadLettered, dropped, pending, requests, maybeDuplicate }: TrackerStats,
  attempts: readonly DeliveryError[],
  { repeated, requests: [first, second] }: ScriptedService,
): TableRow {
  const failure = attempts[0]?.message;
  return {
    answer,
    // Where there was no answer it names none.
    action: failure === undefined ? 'accept' : (ACTION.exec(failure)?.[1] ?? 'retry'),
    ...{ delivered, deadLettered, pending, requests: requests.sent, maybeDuplicate, repeated },
    dropped: Object.values(dropped).reduce((sum, count) => sum + count, 0),
    waitMs: first && second && Math.round(second.at - first.at),
    problems: [],
  };
}
