import type { DeliveryError, TrackerStats } from '@sluice/core';
import type { ScriptedService } from './scripted-service.ts';
import type { TableResult } from './table-result.ts';

/** The result of a row. */
export interface TableRow extends Omit<TableResult, 'waitMs'> {
  readonly answer: string;
  readonly requests: number;
  readonly waitMs: number | undefined;
  /** How many times an event was taken again, in total. */
  readonly repeated: number;
  /** The bound of `requests`, if there is one. */
  readonly mostRequests?: number;
  /** Differences from what is expected, one line each. */
  readonly problems: readonly string[];
}

const ACTION = /; action: (\w+);/;

/** @param attempts The sender's errors for requests that were not accepted. */
export function rowOf(
  answer: string,
  { delivered, deadLettered, dropped, pending, requests, maybeDuplicate, suspects }: TrackerStats,
  attempts: readonly DeliveryError[],
  { repeated, requests: received }: ScriptedService,
): TableRow {
  const failure = attempts[0]?.message;
  const [first, second] = received;
  const bodies = new Set(received.map(({ body }) => body).filter((body) => body !== ''));
  return {
    answer,
    // If there was no answer, the error names no action.
    action: failure === undefined ? 'accept' : (ACTION.exec(failure)?.[1] ?? 'retry'),
    ...{ delivered, deadLettered, pending, suspects: suspects.length, maybeDuplicate, repeated },
    ...{ requests: requests.sent, failedRequests: requests.failed, bodies: bodies.size },
    dropped: Object.values(dropped).reduce((sum, count) => sum + count, 0),
    waitMs: first && second && Math.round(second.at - first.at),
    problems: [],
  };
}
