import type { Clock } from '../base/clock.ts';
import type { Fsync } from '../keep/fsync.ts';
import type { Journal } from '../keep/journal.ts';
import type { WhenFull } from '../parts/budget.ts';
import type { Logger } from '../parts/logger.ts';
import type { Classify } from '../parts/rejected-indexes.ts';
import type { Parts } from '../parts.ts';
import type { DeliveryPolicy } from '../send/delivery-policy.ts';
import type { Transport } from '../send/http/transport.ts';

/** `granted`: all goes its way. `pending`: in memory only, until it is known. `denied`: nothing is kept, nor sent. */
export type Consent = 'pending' | 'granted' | 'denied';

/** `unordered`: batches overtake each other. `strict`: one is sent at a time, and none before an older one. */
export type Ordering = 'unordered' | 'strict';

/** Options of `createTracker`. Only `baseUrl` and `correlationKey` are required. */
export interface TrackerOptions {
  /** `{base_url}` of the service: http or https, without credentials, query or fragment. */
  readonly baseUrl: string;
  /** The account's API key. Leave it out where a relay in front of the service holds it. */
  readonly apiKey?: string | undefined;
  /** The primary key chosen in the audience section of the service. */
  readonly correlationKey: string;
  /** Default `source` of events. Default: `custom`. */
  readonly source?: string | undefined;
  /** Where events are kept until delivered: `memory`, or a journal of your own. Default: files in Node, IndexedDB in browsers. */
  readonly journal?: 'memory' | Journal | undefined;
  /** Node: the directory of the journal. Default: a directory of this account under the user's state directory. */
  readonly journalDirectory?: string | undefined;
  /** Node: when written events are synced to the disk. Default: `interval`. */
  readonly fsync?: Fsync | undefined;
  /** How long an event may wait in memory before it is written, in milliseconds. Default: 50 in Node, 250 in browsers. */
  readonly commitIntervalMs?: number | undefined;
  /** Larger events are refused by `track()`, in bytes. Default: 256 KiB. */
  readonly maxEventBytes?: number | undefined;
  /** Bounds of the events in memory. */
  readonly buffer?:
    | {
        /** Default: 262,144. */
        readonly maxEvents?: number | undefined;
        /** Default: 64 MiB. */
        readonly maxBytes?: number | undefined;
      }
    | undefined;
  /** Bounds of what waits, above all in the journal. */
  readonly storage?:
    | {
        /** What the journal may take, in bytes. Default: no bound but that of the disk. */
        readonly maxBytes?: number | undefined;
        /**
         * What the journal leaves free on its disk, in bytes; at most a twentieth of the disk. Default: 64 MiB.
         */
        readonly minFreeBytes?: number | undefined;
        /** What is dropped where the journal is full. Default: `drop-oldest`. */
        readonly whenFull?: WhenFull | undefined;
        /** Events that get older before the service takes them are dropped, in milliseconds. Default: no bound. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** Bounds of the dead letters that are kept: the oldest go first. */
  readonly deadLetters?:
    | {
        /** In bytes. Default: 16 MiB. */
        readonly maxBytes?: number | undefined;
        /** In milliseconds. Default: 30 days. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** What is tracked while nobody knows who the customer is: held until `identify()`. */
  readonly unidentified?:
    | {
        /** Whether such events are held; where not, they are invalid. Default: in a page. */
        readonly hold?: boolean | undefined;
        /** In bytes: what came first is kept. Default: 4 MiB. */
        readonly maxBytes?: number | undefined;
        /** In milliseconds. Default: 30 days. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** Whether events may be kept and sent; `pending`: in memory only, until `setConsent()`. Default: `granted`. */
  readonly consent?: Consent | undefined;
  /** When events are sent together: as soon as one of these is reached. */
  readonly batch?:
    | {
        /** Default: 500. */
        readonly maxEvents?: number | undefined;
        /** Default: 512 KiB. */
        readonly maxBytes?: number | undefined;
        /** Age of the oldest event, in milliseconds. Default: 1,000. */
        readonly maxWaitMs?: number | undefined;
      }
    | undefined;
  /** Whether batches may overtake each other. `strict` sends one at a time. Default: `unordered`. */
  readonly ordering?: Ordering | undefined;
  /** Whether bodies are sent gzipped, where that makes them smaller; a page needs the part `gzip` for it. Default: false. */
  readonly compress?: boolean | undefined;
  readonly delivery?:
    | {
        /** Requests at the same time. Default: 4; always 1 where `ordering` is `strict`. */
        readonly concurrency?: number | undefined;
        /** Bound of one whole request, sending and answer, in milliseconds. Default: 60,000. */
        readonly timeoutMs?: number | undefined;
        /** Bound of connecting, TLS included, in milliseconds. Default: 10,000. Browsers do not tell connecting apart. */
        readonly connectTimeoutMs?: number | undefined;
        /** Bound of the wait for the status of an answer, in milliseconds. Default: 30,000. */
        readonly headersTimeoutMs?: number | undefined;
        /** Bound of reading the body of an answer, in milliseconds; its status counts all the same. Default: 5,000. */
        readonly bodyTimeoutMs?: number | undefined;
        /** Bound of the first wait before a retry, in milliseconds; it doubles from try to try. Default: 500. */
        readonly retryBaseMs?: number | undefined;
        /** Bound of every wait before a retry, in milliseconds. Default: 60,000. */
        readonly retryMaxMs?: number | undefined;
        /** Retries that an accepted request allows, beside one in ten seconds. Default: 0.1. */
        readonly retriesPerSuccess?: number | undefined;
        /** What to do with an answer, by status (`409`) or class (`5xx`), where it is not what the table says; a page needs the part `policy` for it. */
        readonly policy?: DeliveryPolicy | undefined;
        /** Finds the events that an accepted batch's answer names as rejected: they become dead letters; a page needs the part `classify` for it. Default: none. */
        readonly classify?: Classify | undefined;
        /** Name of a header that carries an id of the batch, equal over retries: `Idempotency-Key`; a page needs the part `idempotency` for it. Default: none is sent. */
        readonly idempotencyHeader?: string | undefined;
      }
    | undefined;
  /** Pages: what not every page needs, each from an entry point of its own: `{ gzip }`. Elsewhere a tracker has all. Default: none. */
  readonly parts?: Parts | undefined;
  /**
   * Serverless and edge: is given a promise that resolves once what was tracked is delivered, for the runtime to wait for
   * after the response: `(work) => context.waitUntil(work)`. Default: none.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /**
   * Anything with pino's `debug`, `info`, `warn` and `error`. Of each message it gets one line in ten seconds, with how many were
   * `suppressed` before it; errors as `err`; never the key. A page needs the part `logger` for it. Default: silent.
   */
  readonly logger?: Logger | undefined;
  /** How requests are made; a page needs the part `guards` for it. Default: undici in Node, fetch in browsers. */
  readonly transport?: Transport | undefined;
  /** Time; a page needs the part `guards` for it. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 to 1 for jitter; a page needs the part `guards` for it. Default: Math.random. */
  readonly random?: (() => number) | undefined;
}
