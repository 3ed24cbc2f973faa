import { plainHttpWarning, type Redact, thoroughRedactor } from '@sluice/protocol/toolbox';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { fetch as undiciFetch } from 'undici/index.js';
import type { Fetch } from './fetch.ts';

/** A process is warned once. */
let isWarned = false;

/**
 * undici's fetch, with undici's global dispatcher, which a user may set. Idle sockets do not keep a process alive. Warns of a key
 * that goes unencrypted to another machine.
 */
export const platformFetch: Fetch = (url, request) => {
  if (!isWarned) warnOfPlainHttp(url, request.headers.authorization);
  return undiciFetch(url, request);
};

function warnOfPlainHttp(url: string, authorization: string | undefined): void {
  const message = plainHttpWarning(url, authorization?.replace('Api-Key ', ''));
  if (message === undefined) return;
  isWarned = true;
  process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_PLAIN_HTTP' });
}

/** Makes a function that removes the API key from texts. */
export const platformRedactor: (secret: string) => Redact = thoroughRedactor;
