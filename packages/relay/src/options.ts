import type { Logger, TrackerOptions } from '@sluice/core';
import type { Clock } from '@sluice/protocol/toolbox';

/** How the site's back end names a customer in a JWT: in its claim `sub`. */
export interface JwtOptions {
  /** The one algorithm that counts: `RS256`, `ES256`, `EdDSA`, `HS256` and so on. */
  readonly algorithm: string;
  /** What `aud` must be or contain. */
  readonly audience: string;
  /** What `iss` must be. Default: it is not looked at. */
  readonly issuer?: string | undefined;
  /** By `kid`: a public key as PEM text or a JWK; for `HS…`, a secret of at least 32 characters that is no PEM text. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/** What the relay adds to the payload of each event. Each switch is off by default. */
export interface ContextOptions {
  /** The field of the payload that has it. What the page writes there is replaced. */
  readonly key: string;
  /** `received_at`: when the relay got the event. */
  readonly receivedAt?: boolean | undefined;
  /** `user_agent`: the header of the request, cut after 512 characters. */
  readonly userAgent?: boolean | undefined;
  /** `address`: that of the client, cut to /24, or in IPv6 to /48. */
  readonly address?: boolean | undefined;
}

/** Bounds of what a page may send. */
export interface LimitOptions {
  /** Of a body, also after it is inflated, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Events of a request. Default: 1,000. */
  readonly maxEvents?: number | undefined;
  /** Of an event as JSON, in bytes. Default: 256 KiB. */
  readonly maxEventBytes?: number | undefined;
  /** Of all bodies that are read or wait for the disk, in bytes. Default: 64 MiB. */
  readonly maxPendingBytes?: number | undefined;
  /** Events of a ticket in a minute. Default: 6,000. */
  readonly ticketEventsPerMinute?: number | undefined;
  /** Events of an address in a minute; a request counts as one more. In IPv6, of a /64. Default: 60,000. */
  readonly addressEventsPerMinute?: number | undefined;
  /** Memory that knows which events and parcels have come already, in bytes. Default: 16 MiB. */
  readonly windowBytes?: number | undefined;
}

/** Options of `createRelay`. */
export interface RelayOptions {
  /** `{base_url}` of the service. */
  readonly baseUrl: string;
  /** The account's API key. No page ever gets it. */
  readonly apiKey: string;
  /** The primary key chosen in the audience section of the service. */
  readonly correlationKey: string;
  /** Signs tickets: at least 32 characters. In a list, the first one signs, and tickets of the others still count. */
  readonly secret: string | readonly string[];
  /**
   * Who is signed in, by the session cookie of a request; nothing if nobody is. Called only for tickets, for pages of
   * the relay's own origin.
   *
   * @param native The request of the framework: that of Express has the session.
   */
  readonly identify?:
    | ((
        request: Request,
        native: unknown,
      ) => string | undefined | null | PromiseLike<string | undefined | null>)
    | undefined;
  /** Takes JWTs of the site's back end. Default: none. */
  readonly jwt?: JwtOptions | undefined;
  /** `observe`: events without a ticket that counts are taken too, for the customer that the page names. Default: `enforce`. */
  readonly enforcement?: 'observe' | 'enforce' | undefined;
  /**
   * When events count as taken. `journal`: once they are synced to the relay's disk. `upstream`: once the service has them.
   * Default: `journal`.
   */
  readonly durability?: 'journal' | 'upstream' | undefined;
  /** Where events wait for the service. Each process needs its own. Default: one of this account in the user's state directory. */
  readonly directory?: string | undefined;
  /** Origins whose pages may use the relay, such as `https://shop.example`. Default: the relay's own. */
  readonly origins?: readonly string[] | undefined;
  /** Addresses and subnets of proxies whose `X-Forwarded-For` counts. If there are any, that of a Unix socket counts too. Default: none. */
  readonly proxies?: readonly string[] | undefined;
  /** For how long a page tracks under one ticket, in milliseconds. Default: an hour. */
  readonly ticketMs?: number | undefined;
  /** For how long after that the ticket's events are taken, in milliseconds. Default: 7 days. */
  readonly acceptForMs?: number | undefined;
  readonly context?: ContextOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** Options of the tracker that delivers the events. Its `journal` keeps events in place of files in `directory`. */
  readonly tracker?:
    | Pick<
        TrackerOptions,
        | 'account'
        | 'batch'
        | 'buffer'
        | 'compress'
        | 'deadLetters'
        | 'delivery'
        | 'journal'
        | 'ordering'
        | 'storage'
      >
    | undefined;
  /** Gets failures of the relay and of its tracker. No key or secret appears. Default: the console. */
  readonly logger?: Logger | undefined;
  /** The clock of tickets, rates and windows. Default: the system's. */
  readonly clock?: Clock | undefined;
}
