import type { Redact } from '@sluice/protocol/toolbox';
import type { Fetch } from './fetch.ts';
import type { Parts } from './parts.ts';

/** What differs between runtimes. */
export interface Platform {
  /** Sends the requests of a reader without the option `fetch`. */
  readonly fetch: Fetch;
  /** Makes a function that removes the API key from texts. */
  readonly redactor: (secret: string) => Redact;
  /** Copies what a request threw, without the API key. */
  readonly redactedError: (error: unknown, redact: Redact) => Error;
  /** The parts that are built in. */
  readonly parts: Parts;
}
