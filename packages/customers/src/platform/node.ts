import { plainHttpWarning, thoroughRedactor } from '@sluice/protocol/toolbox';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { fetch as undiciFetch } from 'undici/index.js';
import { concurrency } from '../concurrency.ts';
import { platform as edge } from './edge.ts';
import type { Platform } from './platform.ts';

/** A process is warned once. */
let isWarned = false;

/**
 * Node: undici's fetch, with undici's global dispatcher, which a user may set. Idle sockets do not keep a process alive. Warns of a
 * key that goes unencrypted to another machine.
 */
export const platform: Platform = {
  ...edge,
  fetch(url, request) {
    if (!isWarned) warnOfPlainHttp(url, request.headers.authorization);
    return undiciFetch(url, request);
  },
  redactor: thoroughRedactor,
  parts: {
    ...edge.parts,
    // undici uses a connection again in the next turn of the event loop. A request in this turn would open another one.
    concurrency: (most) => concurrency(most, setImmediate),
  },
};

function warnOfPlainHttp(url: string, authorization: string | undefined): void {
  const message = plainHttpWarning(url, authorization?.replace('Api-Key ', ''));
  if (message === undefined) return;
  isWarned = true;
  process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_PLAIN_HTTP' });
}
