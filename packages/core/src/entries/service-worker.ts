import {
  BATCH_HEAD_LENGTH,
  BATCH_OVERHEAD_BYTES,
  EVENTS_PATH,
  encloseBatch,
  endpoint,
  readBaseUrl,
  requestHeaders,
} from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import { accountOf } from '../keep/account.ts';
import type { Journal } from '../keep/journal.ts';
import { SYNC_TAG } from '../platform/background-sync.ts';
import { openJournal } from '../platform/browser.ts';
import { subtleSha256 } from '../platform/subtle-sha256.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import { isIntercepted } from '../send/http/interception.ts';
import type { Timeouts, Transport } from '../send/http/transport.ts';

/** Small: the service worker does not split a batch that the service finds too large. */
const BATCH: Limit = { maxEvents: 100, maxBytes: 512 * 1024 };
const TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 10_000, totalMs: 30_000 };
/** Answers that find fault with events or their size. A page handles these events; the worker goes on with others. */
const REFUSALS = new Set([400, 409, 413, 422]);

/** The same values as for the trackers of the pages: they name the journal that pages and worker share. */
export interface DrainOptions {
  readonly baseUrl: string;
  readonly correlationKey: string;
  /** Left out if a relay holds it. */
  readonly apiKey?: string | undefined;
}

interface SyncEvent extends Event {
  readonly tag: string;
  waitUntil(work: Promise<void>): void;
}

/**
 * For the script of a service worker: sends the events that pages left as soon as there is a network, even if no page is open.
 * Pages ask the browser for this themselves if it has Background Sync; in other browsers nothing happens. Throws a ConfigError
 * if `baseUrl` is wrong.
 */
export function drainOnSync(options: DrainOptions): void {
  readBaseUrl('baseUrl', options.baseUrl, options.apiKey);
  addEventListener('sync', (event) => {
    const { tag } = event as SyncEvent;
    if (tag === SYNC_TAG) (event as SyncEvent).waitUntil(drain(options));
  });
}

/**
 * Sends the events that pages of this origin left in their journal, while no page sends. Resolves once all are sent, except for
 * those that the service refuses: these are left to a page. Rejects if the service cannot be reached or accepts nothing now, or
 * if a page may still send some of the events itself.
 */
export async function drain({ correlationKey, apiKey, ...options }: DrainOptions): Promise<void> {
  const baseUrl = readBaseUrl('baseUrl', options.baseUrl, apiKey);
  const account = accountOf(baseUrl, correlationKey, apiKey);
  const journal = openJournal(await subtleSha256(account), systemClock);
  if (journal === undefined) return;
  const transport = new FetchTransport();
  const request = { url: endpoint(baseUrl, EVENTS_PATH), headers: requestHeaders(apiKey) };
  const work = async () => {
    const found: Range[] = [];
    let isHeld = false;
    journal.sharing?.listen((_, activity) => {
      isHeld ||= activity === 'waits';
    });
    await journal.open({ recovered: (range) => found.push(range), damaged: () => {}, failed: () => {} });
    if ((journal.sharing?.pause?.until ?? 0) > systemClock.now())
      throw new Error('the service is not to be asked now');
    for (const range of found) await send(journal, range, transport, request);
    // Some events are in the last request of a page, or a page has just stored more. It may be gone, or may send them itself.
    if (isHeld) throw new Error('a page may still see what became of its last request');
  };
  try {
    await (journal.sharing?.hold(work) ?? work());
  } finally {
    await journal.close();
  }
}

async function send(
  journal: Journal,
  range: Range,
  transport: Transport,
  request: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  for (let { from } = range; from < range.to; ) {
    const { events, range: read } = await journal.read({ ...range, from }, BATCH);
    from = Math.max(read.to, from + 1);
    if (events.ends.length === 0) continue;
    const { length } = events.bytes;
    const memory = new Uint8Array(length + BATCH_OVERHEAD_BYTES);
    memory.set(events.bytes, BATCH_HEAD_LENGTH);
    const body = encloseBatch(memory, length);
    const { signal } = new AbortController();
    const outcome = await transport.post({ ...request, body, timeouts: TIMEOUTS, signal });
    if (outcome.kind === 'answered' && isIntercepted(outcome)) throw new Error('somebody else answered');
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    if (status >= 200 && status < 300) await journal.acknowledge(read);
    else if (!REFUSALS.has(status)) throw new Error(`the service answered ${status || 'nothing'}`);
  }
}
