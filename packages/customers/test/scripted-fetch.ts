import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { cache } from '../src/cache.ts';
import { concurrency } from '../src/concurrency.ts';
import {
  type CachingCustomerReader,
  type CustomerReader,
  type CustomerReaderOptions,
  createCustomerReader,
  type FetchRequest,
  type FetchResponse,
} from '../src/index.ts';
import { schema } from '../src/standard-schema.ts';

/** What a scripted service does with one request: it answers or throws. */
export type Step = (request: FetchRequest) => FetchResponse | Promise<FetchResponse>;

/** A reader whose service follows a script and repeats the last step for ever. Waits before retries take no time. */
export interface Scripted {
  /** It has a cache if the options have one. */
  readonly reader: CustomerReader & Partial<CachingCustomerReader>;
  readonly clock: VirtualClock;
  readonly sent: { readonly url: string; readonly request: FetchRequest }[];
}

export const KEY = 'canary/key-5f2d+"9c';
export const ADA = { email: 'ada@example.com', first_name: 'Ada' };
/** Longer than every wait before a retry: the virtual clock passes shorter waits at once, but not this one. */
export const TIMEOUT_MS = 1_000_000_000;

export function json(value: unknown, init?: ResponseInit): Response {
  return new Response(JSON.stringify(value), init);
}

export function scripted(steps: readonly Step[], options: Partial<CustomerReaderOptions> = {}): Scripted {
  const sent: { url: string; request: FetchRequest }[] = [];
  const clock = new VirtualClock(TIMEOUT_MS);
  const fetch: CustomerReaderOptions['fetch'] = async (url, request) => {
    sent.push({ url, request });
    const step = steps[Math.min(sent.length, steps.length) - 1];
    if (step === undefined) throw new Error('a script has at least one step');
    return step(request);
  };
  const common = { apiUrl: 'http://127.0.0.1:4200', apiKey: KEY, timeoutMs: TIMEOUT_MS, fetch, clock };
  // In a browser, these are not built in.
  const parts = { cache, concurrency, schema };
  return { reader: createCustomerReader({ ...common, random: () => 0.5, parts, ...options }), clock, sent };
}

/** Resolves to the error that a promise rejects with. Throws if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error(`expected a rejection, got ${JSON.stringify(outcome.value)}`);
}
