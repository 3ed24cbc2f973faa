import type { Fsync, Journal } from '../keep/journal.ts';
import type { Classify } from '../parts/classify.ts';
import type { DestinationOptions } from '../parts/destination.ts';
import type { HookOptions } from '../parts/hooks.ts';
import type { Logger } from '../parts/logger.ts';
import type { Parts } from '../parts.ts';
import type { DeliveryPolicy } from '../send/delivery-policy.ts';
import type { ConnectOptions, RequestDispatcher } from '../send/http/connect-options.ts';
import type { Credentials, Transport } from '../send/http/transport.ts';

/** `granted`: events are kept and sent. `pending`: events stay in memory for now. `denied`: nothing is kept or sent. */
export type Consent = 'pending' | 'granted' | 'denied';

/**
 * `unordered`: batches may overtake each other. `per-customer`: the events of one customer arrive in the order in which they were
 * tracked. `strict`: one batch is sent at a time, the oldest first.
 */
export type Ordering = 'unordered' | 'per-customer' | 'strict';

/**
 * Options of `createTracker`. Only `baseUrl` and `correlationKey` are required.
 *
 * @example
 * const options: TrackerOptions = { baseUrl: 'http://127.0.0.1:4100', apiKey, correlationKey: 'email', fsync: 'always' };
 */
export interface TrackerOptions extends HookOptions {
  /** `{base_url}` of the service: http or https, without credentials, query or fragment. */
  readonly baseUrl: string;
  /** The account's API key. Leave it out if a relay in front of the service holds it. */
  readonly apiKey?: string | undefined;
  /** The primary key chosen in the audience section of the service. */
  readonly correlationKey: string;
  /**
   * Whether an event whose time was corrected keeps this device's time, as `device_timestamp` in its payload. Sluice corrects the
   * time of an event by the `Date` header of the service's answers, if this device's clock is wrong by more than a minute.
   * Default: false.
   */
  readonly keepDeviceTimestamp?: boolean | undefined;
  /** Another endpoint than that of the service. A page needs the part `destination` for it. Default: the service's. */
  readonly destination?: DestinationOptions | undefined;
  /** Default `source` of events. Default: `custom`. */
  readonly source?: string | undefined;
  /**
   * Tells two accounts with the same `baseUrl` and `correlationKey` apart, which would share a journal. Any text that stays the
   * same. Default: none; in a page and in React Native the `apiKey`, if there is one.
   */
  readonly account?: string | undefined;
  /**
   * Where events are kept until delivered: `memory`, or, except in a page, a journal of your own. Default: files in Node, IndexedDB in a
   * page, SQLite in React Native, memory on the edge.
   */
  readonly journal?: 'memory' | Journal | undefined;
  /** Node: the directory of the journal. Default: a directory of this account under the user's state directory. */
  readonly journalDirectory?: string | undefined;
  /** Node: when written events are synced to the disk. Default: `interval`. */
  readonly fsync?: Fsync | undefined;
  /**
   * Node: how long pending requests keep a process alive that has nothing else to do, in milliseconds. What is not answered by then
   * stays in the journal. Default: 2,000.
   */
  readonly exitBudgetMs?: number | undefined;
  /** How long an event may wait in memory before it is written, in ms; at most `batch.maxWaitMs`. Default: 50 in Node, else 250. */
  readonly commitIntervalMs?: number | undefined;
  /** The largest event that `track()` accepts, in bytes: at most 16 MiB. Default: 256 KiB. */
  readonly maxEventBytes?: number | undefined;
  /** Bounds of the events in memory. */
  readonly buffer?:
    | {
        /** Default: no bound but `maxBytes`. */
        readonly maxEvents?: number | undefined;
        /** Default: 64 MiB. */
        readonly maxBytes?: number | undefined;
      }
    | undefined;
  /** Bounds of the waiting events, above all in the journal. */
  readonly storage?:
    | {
        /**
         * The most that the journal may take, in bytes. In Node: its whole directory, with the events of all processes that share
         * it, dead letters and damaged files. Default: 1 GiB or a tenth of the disk, whichever is less; none if the journal has no disk.
         */
        readonly maxBytes?: number | undefined;
        /** What the journal leaves free on its disk, in bytes; at most a twentieth of the disk. Default: 64 MiB. */
        readonly minFreeBytes?: number | undefined;
        /** What is dropped when the journal is full. Default: `drop-oldest`. */
        readonly whenFull?: 'drop-oldest' | 'drop-newest' | undefined;
        /** Greatest age of an undelivered event, in milliseconds: older ones are dropped. Default: no bound. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** Bounds of the dead letters that are kept: the oldest are dropped first. */
  readonly deadLetters?:
    | {
        /** In bytes. Default: 16 MiB. */
        readonly maxBytes?: number | undefined;
        /** In milliseconds. Default: 30 days. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** Events that are tracked while the customer is unknown: they are held until `identify()`. */
  readonly unidentified?:
    | {
        /** Whether such events are held. If not, they are invalid. Default: true in a page and in React Native. */
        readonly hold?: boolean | undefined;
        /** In bytes. When it is full, new events are dropped. Default: 4 MiB. */
        readonly maxBytes?: number | undefined;
        /** In milliseconds. Default: 30 days. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** Whether events may be kept and sent. With `pending` they stay in memory until `setConsent()`. Default: `granted`. */
  readonly consent?: Consent | undefined;
  /** A batch is sent as soon as one of these is reached. */
  readonly batch?:
    | {
        /** Default: no bound but `maxBytes`. */
        readonly maxEvents?: number | undefined;
        /** Default: 512 KiB; 128 KiB in a page or an app. */
        readonly maxBytes?: number | undefined;
        /** Age of the oldest event, in milliseconds. Default: 1,000. */
        readonly maxWaitMs?: number | undefined;
      }
    | undefined;
  /** Which events may overtake each other. Default: `unordered`. */
  readonly ordering?: Ordering | undefined;
  /**
   * Pages: what becomes of events in a request of a page that was left, if no page saw the answer within 30 seconds.
   * `at-least-once`: they are sent again, and may arrive twice. `once`: they count as delivered if a page had an answer in the
   * minute before that request, and may be lost; otherwise they are sent again. Default: `at-least-once`.
   */
  readonly leaving?: 'at-least-once' | 'once' | undefined;
  /** Whether bodies are gzipped if that makes them smaller. A page needs the part `gzip` for it. Default: false. */
  readonly compress?: boolean | undefined;
  /** How requests are made, and what Sluice does with answers. */
  readonly delivery?:
    | {
        /**
         * The most concurrent requests. In Node a tracker begins with 4, and makes more while the service answers as fast. Default: 32, at
         * most 4 of them in a page; always 1 if `ordering` is `strict`.
         */
        readonly maxConcurrency?: number | undefined;
        /** Time limit of one request, from sending to the end of the answer, in milliseconds. Default: 60,000. */
        readonly timeoutMs?: number | undefined;
        /** The longest wait before the first retry, in milliseconds. It doubles with each retry. Default: 500. */
        readonly retryBaseMs?: number | undefined;
        /** The longest wait before any retry, in milliseconds. Default: 60,000. */
        readonly retryMaxMs?: number | undefined;
        /** With strict order: after this many failures, an event is set aside, and later ones go on. Default: never. */
        readonly maxTries?: number | undefined;
        /** What to do with an answer, by status (`409`) or class (`5xx`), instead of what the delivery table says. */
        readonly policy?: DeliveryPolicy | undefined;
        /**
         * Finds the events that the answer to an accepted batch names as rejected: they become dead letters. A page needs the
         * part `classify` for it. Default: none.
         */
        readonly classify?: Classify | undefined;
        /**
         * Name of a header that carries an id of the batch, the same for every retry: `Idempotency-Key`. A page needs the part
         * `idempotency` for it. Default: none is sent.
         */
        readonly idempotencyHeader?: string | undefined;
        /** More headers of each request, except those that Sluice sends itself. Default: none. */
        readonly headers?: Readonly<Record<string, string>> | undefined;
        /** Pages: which requests carry cookies. Default: `omit`. */
        readonly credentials?: Credentials | undefined;
        /** Node: certificates, a Unix socket, HTTP/2. Default: what Node trusts, HTTP/1.1. */
        readonly connect?: ConnectOptions | undefined;
        /**
         * Node: a dispatcher of undici 7 or later that sends the requests, for example its `ProxyAgent`. Sluice does not close
         * it. Default: connections of Sluice's own, or with `NODE_USE_ENV_PROXY=1` the proxies that the environment names.
         */
        readonly dispatcher?: RequestDispatcher | undefined;
      }
    | undefined;
  /** The stages of `delivery.timeoutMs`, for networks that the defaults do not suit. */
  readonly advanced?:
    | {
        /** Time limit of connecting, including TLS, in milliseconds. Default: 10,000. Browsers cannot measure it separately. */
        readonly connectTimeoutMs?: number | undefined;
        /** Time limit of the wait for the status of an answer, in milliseconds. Default: 30,000. */
        readonly headersTimeoutMs?: number | undefined;
        /** Time limit of reading the body of an answer, in milliseconds. After it, the status still counts. Default: 5,000. */
        readonly bodyTimeoutMs?: number | undefined;
      }
    | undefined;
  /** Pages: optional stages, each from its own entry point: `{ gzip }`. Elsewhere a tracker has all. Default: none. */
  readonly parts?: Parts | undefined;
  /**
   * Serverless and edge: receives a promise that resolves once the tracked events are delivered, or a flush of them times out.
   * Pass it on, so that the runtime waits for it after the response: `(work) => context.waitUntil(work)`. A page needs the part
   * `waitUntil` for it. Default: none.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /**
   * Anything with pino's `debug`, `info`, `warn` and `error`. Each message is written at most once in ten seconds, with the
   * number of lines that were `suppressed` before it. Errors are passed as `err`. The key never appears. A page needs the part
   * `logger` for it. False: silent. Default: the first refused event, drop, pause and failure of storage are written to the console.
   */
  readonly logger?: Logger | false | undefined;
  /** False: a tracker that does nothing, for tests and previews. Its other options are not checked. Default: true. */
  readonly enabled?: boolean | undefined;
  /** Whether each step is written to the console, with the events themselves. A page needs the part `logger`. Default: false. */
  readonly debug?: boolean | undefined;
  /** How requests are made; a page needs the part `guards` for it. Default: undici in Node, fetch in browsers. */
  readonly transport?: Transport | undefined;
}

/** A relay that knows customers by a JWT of the site's back end, and not by a cookie. */
export interface RelayWithJwt {
  /** A path of the page's own origin, such as `/s`, or an http or https URL. */
  readonly url: string;
  /** Returns the JWT of whoever is signed in; undefined if nobody is. Called for each ticket. */
  readonly jwt: () => string | undefined | PromiseLike<string | undefined>;
}

/** Options of `createTracker` in a page that sends to a relay of `@sluice/relay`. The relay decides the missing ones. */
export interface RelayedOptions
  extends Omit<TrackerOptions, 'baseUrl' | 'apiKey' | 'destination' | 'ordering'> {
  /**
   * Address of the relay: a path of the page's own origin, such as `/s`, or an http or https URL. Nothing is appended to it. With a
   * `jwt`, the site's back end says who is signed in; otherwise the session cookie does.
   */
  readonly relay: string | RelayWithJwt;
}

/** With a relay or without. */
export type AnyOptions = TrackerOptions | RelayedOptions;
