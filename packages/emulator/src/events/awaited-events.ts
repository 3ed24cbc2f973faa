import { ANYTHING, type Clock, milliseconds, readRules, sleep } from '@sluice/protocol/toolbox';
import type { Account } from '../running/account.ts';
import { COUNT, conditionOf, type EventFilter, readFilter } from '../storage/event-filter.ts';
import type { EventRow } from '../storage/event-rows.ts';

/** Which events to wait for, and how long. */
export interface WaitOptions {
  /** Only events that match. Default: all. */
  readonly filter?: EventFilter | undefined;
  /**
   * In milliseconds. Default 4,000: shorter than the 5 seconds that test runners give a test, so that the test shows this error.
   */
  readonly timeoutMs?: number | undefined;
  /** If it is aborted, the wait rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Fewer events arrived in time than the caller waited for. The message says what did arrive. */
export class MissingEventsError extends Error {
  override readonly name = 'MissingEventsError';
}

const DEFAULT_TIMEOUT_MS = 4_000;
const RULES = { filter: ANYTHING, timeoutMs: milliseconds(DEFAULT_TIMEOUT_MS, 0), signal: ANYTHING };
const NAMES = 10;

/**
 * Resolves to the matching events, once there are `count` of them. Rejects with {@link MissingEventsError} if they do not arrive
 * in time.
 */
export async function awaitEvents(
  account: Account,
  clock: Clock,
  count: number,
  options: WaitOptions,
): Promise<EventRow[]> {
  readRules({ count: COUNT }, '', { count });
  const { timeoutMs, signal } = readRules(RULES, '', options) as { timeoutMs: number; signal?: AbortSignal };
  const filter = readFilter(options.filter ?? {}, 'filter');
  const until = clock.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    account.checkOpen();
    const { unique: came } = account.events.count(filter);
    if (came >= count) return account.events.find(filter);
    const leftMs = until - clock.now();
    if (leftMs <= 0) throw missing(account, count, came, filter, timeoutMs);
    await sleep(clock, leftMs, AbortSignal.any([account.arrival, ...(signal ? [signal] : [])]), true);
  }
}

function missing(
  account: Account,
  count: number,
  came: number,
  filter: EventFilter,
  timeoutMs: number,
): MissingEventsError {
  const names = account.events.countBy('name', NAMES, conditionOf({}));
  const there = names.map(({ value, count: times }) => `${value} (${times})`).join(', ');
  const wanted = JSON.stringify(filter);
  const [refused] = account.requests.list({ limit: 1, outcome: 'refused' }).rows;
  const message = [
    `${came} of ${count} events${wanted === '{}' ? '' : ` that match ${wanted}`}`,
    ` came within ${timeoutMs} ms.`,
    there === '' ? ' There is no event at all.' : ` There are: ${there}.`,
    refused?.error ? ` The latest refusal: ${refused.error.message}` : '',
  ];
  return new MissingEventsError(message.join(''));
}
